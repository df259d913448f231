// SPDX-License-Identifier: Apache-2.0
#include "proxy/out_queue.h"

#include <gtest/gtest.h>

#include <vector>

#include "support/memory_stream.h"

namespace rampart::proxy {
namespace {

using Status = Stream::Status;

class OutQueueTest : public testing::Test {
 protected:
  Status write(const std::vector<std::string_view>& texts) {
    std::vector<iovec> parts;
    for (const std::string_view text : texts) parts.push_back(part_of(text));
    return queue_.write(stream_, parts);
  }

  std::shared_ptr<test::MemoryWire> wire_ = std::make_shared<test::MemoryWire>();
  test::MemoryStream stream_{wire_};
  OutQueue queue_;
};

TEST_F(OutQueueTest, WritesStraightThrough) {
  EXPECT_EQ(write({"ab", "", "cd"}), Status::kDone);
  EXPECT_TRUE(queue_.empty());
  EXPECT_EQ(wire_->from_proxy, "abcd");
}

TEST_F(OutQueueTest, HasNothingToDoWithoutBytes) {
  wire_->room = 0;
  EXPECT_EQ(write({}), Status::kDone);
  EXPECT_EQ(write({""}), Status::kDone);
  EXPECT_TRUE(queue_.empty());
}

TEST_F(OutQueueTest, GoesOnAfterAShortWrite) {
  wire_->most_write = 1;
  EXPECT_EQ(write({"ab", "cd"}), Status::kDone);
  EXPECT_EQ(wire_->from_proxy, "abcd");
}

TEST_F(OutQueueTest, KeepsTheRestWhateverTheCut) {
  for (size_t room = 0; room < 6; ++room) {
    wire_->room = room;
    wire_->from_proxy.clear();
    EXPECT_EQ(write({"ab", "cd", "ef"}), Status::kBlocked);
    EXPECT_FALSE(queue_.empty());
    EXPECT_EQ(queue_.flush(stream_), Status::kBlocked);
    EXPECT_EQ(write({"gh"}), Status::kBlocked);  // behind the rest, though there may be room
    wire_->room = 3;
    const bool fits = 8 - room <= 3;
    EXPECT_EQ(queue_.flush(stream_), fits ? Status::kDone : Status::kBlocked);
    wire_->room = test::kNoBound;
    EXPECT_EQ(queue_.flush(stream_), Status::kDone);
    EXPECT_TRUE(queue_.empty());
    EXPECT_EQ(wire_->from_proxy, "abcdefgh") << room;
  }
}

TEST_F(OutQueueTest, TellsAFailure) {
  wire_->room = 1;
  ASSERT_EQ(write({"ab"}), Status::kBlocked);
  wire_->failed = true;
  EXPECT_EQ(queue_.flush(stream_), Status::kFailed);
  OutQueue fresh;
  iovec part = part_of("x");
  EXPECT_EQ(fresh.write(stream_, {&part, 1}), Status::kFailed);
}

}  // namespace
}  // namespace rampart::proxy
