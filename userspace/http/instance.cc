// SPDX-License-Identifier: Apache-2.0
#include "http/instance.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <filesystem>

namespace rampart::http {
namespace {

std::filesystem::path folder_of(const control::Config& config) {
  return std::filesystem::path(config.control_socket).parent_path();
}

}  // namespace

std::string socket_of(const control::Config& config) {
  return folder_of(config) / (config.instance + "-http.sock");
}

std::string state_file_of(const control::Config& config) {
  return config.state_dir + "/" + config.instance + "-http.json";
}

Result<Fd> lock_instance(const control::Config& config) {
  std::error_code error;
  std::filesystem::create_directories(folder_of(config), error);
  const std::string path = folder_of(config) / (config.instance + "-http.lock");
  Fd lock(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0660));
  if (!lock) return system_error("open " + path, errno);
  if (flock(lock.get(), LOCK_EX | LOCK_NB) == 0) return lock;
  if (errno != EWOULDBLOCK) return system_error("lock " + path, errno);
  return Error{Code::kFailed, "another rampart-http runs the instance " + config.instance + " (" +
                                  path + " is locked): stop it, or give this one another name"};
}

}  // namespace rampart::http
