// SPDX-License-Identifier: Apache-2.0
#include "support/process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <filesystem>

extern char** environ;

namespace rampart::test {
namespace {

// Output goes into memory files: no reader thread, and no pipe that a silent reader could fill.
Fd memory_file() {
  Fd file(memfd_create("rampart-test", MFD_CLOEXEC));
  if (!file) throw BedFailure("memfd_create failed");
  return file;
}

std::string contents(const Fd& file) {
  std::string text;
  char buffer[4096];
  for (;;) {
    const ssize_t got = pread(file.get(), buffer, sizeof(buffer), static_cast<off_t>(text.size()));
    if (got <= 0) return text;
    text.append(buffer, static_cast<size_t>(got));
  }
}

pid_t spawn(const Command& command, int in, int out, int err) {
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in, 0);
  posix_spawn_file_actions_adddup2(&actions, out, 1);
  posix_spawn_file_actions_adddup2(&actions, err, 2);
  pid_t pid = 0;
  const int error = posix_spawnp(&pid, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw BedFailure(command[0] + ": " + strerror(error));
  return pid;
}

int exit_code_of(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

Finished run(const Command& command, const std::string& input) {
  const Fd in = memory_file(), out = memory_file(), err = memory_file();
  if (pwrite(in.get(), input.data(), input.size(), 0) != static_cast<ssize_t>(input.size())) {
    throw BedFailure("writing the input of " + command[0]);
  }
  const pid_t pid = spawn(command, in.get(), out.get(), err.get());
  int status = 0;
  if (waitpid(pid, &status, 0) != pid) throw BedFailure("waitpid " + command[0]);
  return Finished{exit_code_of(status), contents(out), contents(err)};
}

std::string must_run(const Command& command, const std::string& input) {
  Finished done = run(command, input);
  if (done.exit_code == 0) return done.out;
  std::string words;
  for (const std::string& word : command) words += word + " ";
  throw BedFailure(words + "ended with " + std::to_string(done.exit_code) + ": " + done.err);
}

std::string program(const std::string& name) {
  const auto here = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  return (here.parent_path() / "bin" / name).string();
}

Process::Process(const Command& command) : pid_(0), output_(memory_file()) {
  const Fd nothing(open("/dev/null", O_RDONLY | O_CLOEXEC));
  pid_ = spawn(command, nothing.get(), output_.get(), output_.get());
}

Process::Process(Process&& from) noexcept
    : pid_(std::exchange(from.pid_, 0)),
      output_(std::move(from.output_)),
      exit_code_(from.exit_code_) {}

Process::~Process() {
  if (pid_ == 0 || !running()) return;
  signal(SIGKILL);
  waitpid(pid_, nullptr, 0);
}

bool Process::running() {
  if (exit_code_) return false;
  int status = 0;
  if (waitpid(pid_, &status, WNOHANG) != pid_) return true;
  exit_code_ = exit_code_of(status);
  return false;
}

std::string Process::output() const {
  return contents(output_);
}

void Process::signal(int number) {
  if (running()) kill(pid_, number);
}

std::optional<int> Process::wait_exit(std::chrono::milliseconds limit) {
  if (!wait_until([this] { return !running(); }, limit)) return std::nullopt;
  return exit_code_;
}

}  // namespace rampart::test
