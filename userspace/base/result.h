// SPDX-License-Identifier: Apache-2.0
// Errors as values: a code for programs and a sentence for people. Each level that passes a failure
// on prepends its own step, so a message reads from the outside in:
//
//   attach eth0: create the link: Device or resource busy
#ifndef RAMPART_USERSPACE_BASE_RESULT_H_
#define RAMPART_USERSPACE_BASE_RESULT_H_

#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "base/check.h"

namespace rampart {

// The values are the exit codes of all programs, so that a failure maps to one without a table.
enum class Code {
  kFailed = 1,
  kUsage = 2,
  kInvalidConfig = 3,
  kCannotAttach = 4,
  kNoDaemon = 5,
  kMissingPrivilege = 6,
};

struct Error {
  Code code = Code::kFailed;
  std::string text;

  // The same failure, one level further out.
  Error within(const std::string& step) && { return Error{code, step + ": " + text}; }
};

// "STEP: strerror(error_number)".
Error system_error(const std::string& step, int error_number, Code code = Code::kFailed);

// A value or an Error. Result<void> has no value.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}
  Result(Error error) : state_(std::move(error)) {}

  bool ok() const { return std::holds_alternative<T>(state_); }
  explicit operator bool() const { return ok(); }

  // REQUIRES: ok().
  T& value() & { return get(); }
  const T& value() const& {
    RP_CHECK(ok());
    return *std::get_if<T>(&state_);
  }
  T&& value() && { return std::move(get()); }
  T& operator*() & { return get(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &get(); }
  const T* operator->() const { return &value(); }

  // REQUIRES: !ok().
  const Error& error() const {
    RP_CHECK(!ok());
    return *std::get_if<Error>(&state_);
  }
  Error within(const std::string& step) const { return Error(error()).within(step); }

 private:
  T& get() {
    RP_CHECK(ok());
    return *std::get_if<T>(&state_);
  }
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}

  bool ok() const { return !error_; }
  explicit operator bool() const { return ok(); }
  const Error& error() const {
    RP_CHECK(error_.has_value());
    return *error_;
  }
  Error within(const std::string& step) const { return Error(error()).within(step); }

 private:
  std::optional<Error> error_;
};

}  // namespace rampart

#endif  // RAMPART_USERSPACE_BASE_RESULT_H_
