#include "megascale/control/stall_reader.h"

#include <gtest/gtest.h>

#include <fstream>

#include "support/scratch_directory.h"

namespace megascale::control {
namespace {

TEST(StallReaderTest, AddsUpTheStallsOfOneAttempt) {
  const testing::ScratchDirectory scratch;
  const auto path = scratch.write("metrics", "{\"step\":1,\"checkpoint_stall_seconds\":100}\n");
  StallReader reader(path);
  reader.begin();
  EXPECT_EQ(reader.read(), 0) << "of an earlier attempt";
  std::ofstream file(path, std::ios::app);
  file << "{\"step\":2,\"checkpoint_stall_seconds\":0.5}\n{\"step\":3}\n{\"step\":4,\"checkpoint_"
       << std::flush;
  EXPECT_EQ(reader.read(), 0.5);
  file << "stall_seconds\":0.25}\nno json checkpoint_stall_seconds\n"
       << "{\"checkpoint_stall_seconds\":\"x\"}\n{\"checkpoint_stall_seconds\":-1}\n"
       << std::flush;
  EXPECT_EQ(reader.read(), 0.75);
  EXPECT_EQ(reader.read(), 0.75);
  reader.begin();
  EXPECT_EQ(reader.read(), 0);
}

TEST(StallReaderTest, AMissingFileAddsNothing) {
  const testing::ScratchDirectory scratch;
  StallReader reader(scratch / "absent");
  reader.begin();
  EXPECT_EQ(reader.read(), 0);
}

}  // namespace
}  // namespace megascale::control
