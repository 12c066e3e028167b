// The limits of host memory, read from invented /proc and /sys trees.
#include "megascale/engine/memory_limit.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "megascale/base/error.h"
#include "megascale/engine/arena.h"
#include "support/scratch_directory.h"

namespace megascale::engine {
namespace {

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30U;

// A root directory with a machine of 16 GiB, to which a test adds files.
class InventedRoot {
 public:
  InventedRoot() { write("proc/meminfo", "MemTotal:       16777216 kB\nMemFree: 1 kB\n"); }
  void write(const std::string& name, const std::string& content) const {
    std::filesystem::create_directories((scratch_ / name).parent_path());
    (void)scratch_.write(name, content);
  }
  // Binds a device to a driver, as a link in the driver's folder shows it.
  void bind(const std::string& driver, const std::string& device) const {
    write("sys/bus/" + driver + "/bind", "");
    write("sys/bus/" + driver + "/" + device, "");
  }
  void present(std::uint64_t nbytes) const {
    const std::uint64_t pages = nbytes / static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    write("proc/zoneinfo", "Node 0, zone Normal\n  pages free 17\n        present  " +
                               std::to_string(pages / 2) + "\n        managed  3\nNode 1\n" +
                               "        present  " + std::to_string(pages - pages / 2) + "\n");
  }
  [[nodiscard]] MemoryLimit read() const { return read_memory_limit(scratch_ / ""); }

 private:
  testing::ScratchDirectory scratch_;
};

TEST(MemoryLimit, IsTheMemoryOfAPlainMachine) {
  const InventedRoot root;
  const MemoryLimit limit = root.read();
  EXPECT_EQ(limit.total_nbytes, 16 * kGiB);
  EXPECT_EQ(limit.most_nbytes, 16 * kGiB);
  EXPECT_EQ(limit.group_nbytes, MemoryLimit::kUnknown);
  EXPECT_EQ(judge_memory(16 * kGiB, limit).fit, MemoryFit::yes);
  const MemoryVerdict above = judge_memory(16 * kGiB + 1, limit);
  EXPECT_EQ(above.fit, MemoryFit::no);
  EXPECT_EQ(above.why, "this machine has 16.00 GiB of memory");
}

// The smallest of the group's own limit and those above it counts.
TEST(MemoryLimit, OfAControlGroupIsThatOfItsAncestorsToo) {
  const InventedRoot root;
  root.write("proc/self/cgroup", "0::/jobs/one/step\n");
  root.write("proc/self/mountinfo",
             "25 20 0:22 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw\n");
  root.write("sys/fs/cgroup/jobs/one/step/memory.max", "max\n");
  root.write("sys/fs/cgroup/jobs/one/memory.max", "8589934592\n");
  root.write("sys/fs/cgroup/jobs/memory.max", "12884901888\n");
  const MemoryLimit limit = root.read();
  EXPECT_EQ(limit.group_nbytes, 8 * kGiB);
  EXPECT_EQ(limit.group_file, "/sys/fs/cgroup/jobs/one/memory.max");
  EXPECT_EQ(judge_memory(8 * kGiB, limit).fit, MemoryFit::yes);
  const MemoryVerdict above = judge_memory(9 * kGiB, limit);
  EXPECT_EQ(above.fit, MemoryFit::no);
  EXPECT_EQ(
      above.why,
      "the control group of this process allows 8.00 GiB (/sys/fs/cgroup/jobs/one/memory.max)");
}

TEST(MemoryLimit, OfTheFirstVersionOfControlGroups) {
  const InventedRoot root;
  root.write("proc/self/cgroup", "9:name=systemd:/\n4:cpu,memory:/box\n0::/\n");
  root.write("proc/self/mountinfo",
             "35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n"
             "36 31 0:33 / /sys/fs/cgroup/devices rw,relatime - cgroup cgroup rw,devices\n"
             "41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n");
  root.write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(root.read().group_nbytes, MemoryLimit::kUnknown);
  root.write("sys/fs/cgroup/memory/box/memory.limit_in_bytes", "4294967296\n");
  EXPECT_EQ(root.read().group_nbytes, 4 * kGiB);
}

// In a container the mount shows the hierarchy from the container's group on.
TEST(MemoryLimit, OfAContainer) {
  const InventedRoot root;
  root.write("proc/self/mountinfo",
             "25 20 0:22 /docker/abc /sys/fs/cgroup ro - cgroup2 cgroup rw\n");
  root.write("sys/fs/cgroup/memory.max", "2147483648\n");
  for (const char* group : {"0::/docker/abc\n", "0::/\n", "0::/../elsewhere\n"}) {
    root.write("proc/self/cgroup", group);
    EXPECT_EQ(root.read().group_nbytes, 2 * kGiB) << group;
  }
}

// Memory in a balloon can come back; more than is present cannot.
TEST(MemoryLimit, OfAMachineWithABalloonIsWhatIsPresent) {
  const InventedRoot root;
  root.present(128 * kGiB);
  EXPECT_EQ(root.read().most_nbytes, 16 * kGiB) << "there is no balloon yet";
  root.bind("virtio/drivers/virtio_balloon", "virtio0");
  const MemoryLimit limit = root.read();
  EXPECT_EQ(limit.most_nbytes, 128 * kGiB);
  const MemoryVerdict between = judge_memory(100 * kGiB, limit),
                      above = judge_memory(129 * kGiB, limit);
  EXPECT_EQ(between.fit, MemoryFit::if_it_grows);
  EXPECT_EQ(above.fit, MemoryFit::no);
  EXPECT_EQ(above.why, "this machine has 16.00 GiB of memory now and can get 128.00 GiB");
}

TEST(MemoryLimit, OfMachinesThatDoNotSayHowFarTheyGrow) {
  const auto expect_unknown = [](const InventedRoot& root) {
    const MemoryLimit limit = root.read();
    EXPECT_EQ(limit.most_nbytes, MemoryLimit::kUnknown);
    const MemoryVerdict above = judge_memory(1000 * kGiB, limit);
    EXPECT_EQ(above.fit, MemoryFit::if_it_grows);
    EXPECT_EQ(above.why, "this machine has 16.00 GiB of memory now and can get more");
  };
  InventedRoot memory_device, hyperv, xen, gvisor;
  memory_device.bind("virtio/drivers/virtio_mem", "virtio3");
  expect_unknown(memory_device);
  hyperv.bind("vmbus/drivers/hv_balloon", "vmbus_5");
  expect_unknown(hyperv);
  xen.write("sys/devices/system/xen_memory/xen_memory0/info/current_kb", "1\n");
  expect_unknown(xen);
  gvisor.write("proc/sentry-meminfo", "");
  expect_unknown(gvisor);
}

// A driver without a device does not make a machine grow.
TEST(MemoryLimit, OfADriverWithoutDevices) {
  const InventedRoot root;
  root.write("sys/bus/virtio/drivers/virtio_mem/bind", "");
  EXPECT_EQ(root.read().most_nbytes, 16 * kGiB);
}

TEST(MemoryLimit, WithoutFilesNothingIsRefused) {
  const testing::ScratchDirectory empty;
  EXPECT_EQ(judge_memory(1000 * kGiB, read_memory_limit(empty / "")).fit, MemoryFit::yes);
}

// The control group's limit holds also on machines that grow.
TEST(MemoryLimit, OfAGroupOnAMachineThatGrows) {
  const InventedRoot root;
  root.bind("virtio/drivers/virtio_mem", "virtio3");
  root.write("proc/self/cgroup", "0::/\n");
  root.write("proc/self/mountinfo", "25 20 0:22 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
  root.write("sys/fs/cgroup/memory.max", "34359738368\n");
  EXPECT_EQ(judge_memory(30 * kGiB, root.read()).fit, MemoryFit::if_it_grows);
  EXPECT_EQ(judge_memory(33 * kGiB, root.read()).fit, MemoryFit::no);
}

// This machine's own files are read, and a size that no machine has is refused.
TEST(MemoryLimit, OfThisMachine) {
  const MemoryLimit limit = read_memory_limit();
  EXPECT_LT(limit.total_nbytes, MemoryLimit::kUnknown);
  EXPECT_GE(limit.most_nbytes, limit.total_nbytes);
  EXPECT_NO_THROW(require_memory(std::uint64_t{1} << 20U));
  if (limit.most_nbytes == MemoryLimit::kUnknown) GTEST_SKIP() << "this machine may grow";
  EXPECT_THROW(require_memory(limit.most_nbytes + 1), Error);
}

}  // namespace
}  // namespace megascale::engine
