// SPDX-License-Identifier: Apache-2.0
// An instance that the daemon's own modules load and pin, for a case that looks at its maps.
#ifndef RAMPART_TESTS_BPF_PINNED_INSTANCE_H_
#define RAMPART_TESTS_BPF_PINNED_INSTANCE_H_

#include <gtest/gtest.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <utility>

#include "dataplane/attach.h"
#include "dataplane/object.h"
#include "dataplane/preflight.h"
#include "maps/kernel_map_store.h"

namespace rampart {

class PinnedInstance : public testing::Test {
 protected:
  // The folder of the pins is this process's own.
  explicit PinnedInstance(dataplane::ObjectOptions options) : options_(std::move(options)) {
    options_.pin_path = "/sys/fs/bpf/rampart-test-" + std::to_string(getpid());
  }

  void SetUp() override {
    if (const auto able = dataplane::check_privileges(); !able) GTEST_SKIP() << able.error().text;
    open();
  }
  void TearDown() override {
    store_.reset();
    object_.reset();
    (void)dataplane::remove_instance(folder()).ok();
    rmdir(options_.pin_path.c_str());
  }

  std::string folder() const {
    return dataplane::instance_folder(options_.pin_path, options_.instance);
  }
  // As a process that starts does; the one before it may have ended at any point.
  void open() {
    store_.reset();
    object_.reset();
    auto object = dataplane::Object::load(options_);
    ASSERT_TRUE(object) << object.error().text;
    object_ = std::move(*object);
    auto store = maps::KernelMapStore::open(folder(), object_->inner_map_types());
    ASSERT_TRUE(store) << store.error().text;
    store_ = std::move(*store);
  }

  dataplane::ObjectOptions options_;
  std::unique_ptr<dataplane::Object> object_;
  std::unique_ptr<maps::KernelMapStore> store_;
};

}  // namespace rampart

#endif  // RAMPART_TESTS_BPF_PINNED_INSTANCE_H_
