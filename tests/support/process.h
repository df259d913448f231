// SPDX-License-Identifier: Apache-2.0
// Child processes: started with their output kept, waited for with a deadline, ended by their own
// pid.
#ifndef RAMPART_TESTS_SUPPORT_PROCESS_H_
#define RAMPART_TESTS_SUPPORT_PROCESS_H_

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/fd.h"
#include "support/wait.h"

namespace rampart::test {

// The test bed itself is broken (no namespace, no such program). It is thrown rather than returned
// so that the case fails at once and everything built so far is still torn down.
struct BedFailure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

using Command = std::vector<std::string>;

struct Finished {
  int exit_code = 0;  // 128 + N if signal N ended it
  std::string out;    // standard output
  std::string err;    // standard error
};

// Runs a command to its end.
Finished run(const Command& command, const std::string& input = "");

// The same, for commands that must succeed: otherwise BedFailure with what they said.
std::string must_run(const Command& command, const std::string& input = "");

// A program of the build that this test belongs to: "rampartd", "rampart".
std::string program(const std::string& name);

class Process {
 public:
  explicit Process(const Command& command);
  Process(Process&& from) noexcept;
  Process& operator=(Process&&) = delete;
  ~Process();  // SIGKILL, if it still runs

  pid_t pid() const { return pid_; }
  bool running();
  std::string output() const;  // standard output and error so far, in the order written
  void signal(int number);

  // Its exit code, as in Finished; nothing if it still runs after `limit`.
  std::optional<int> wait_exit(std::chrono::milliseconds limit = kPatience);

 private:
  pid_t pid_;
  Fd output_;
  std::optional<int> exit_code_;
};

}  // namespace rampart::test

#endif  // RAMPART_TESTS_SUPPORT_PROCESS_H_
