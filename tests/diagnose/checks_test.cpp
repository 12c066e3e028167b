// Every check passes on a healthy machine, and fails when its part is broken.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <unistd.h>

#include <cstdlib>

#include "megascale/base/core_binding.h"
#include "megascale/base/error.h"
#include "megascale/diagnose/clock_check.h"
#include "megascale/diagnose/compute_check.h"
#include "megascale/diagnose/device_check.h"
#include "megascale/diagnose/disk_check.h"
#include "megascale/diagnose/exchange_check.h"
#include "megascale/diagnose/host_checks.h"
#include "megascale/diagnose/interface_check.h"
#include "megascale/diagnose/link_check.h"
#include "megascale/diagnose/memory_check.h"
#include "megascale/diagnose/system_files.h"
#include "support/scratch_directory.h"

namespace megascale::diagnose {
namespace {

using ::testing::HasSubstr;

const Rate* rate_of(const CheckReport& report, std::string_view name) {
  for (const Rate& rate : report.rates)
    if (rate.name == name) return &rate;
  return nullptr;
}

TEST(DiagnoseTest, AllCoresComputeTheSameBitsEveryTime) {
  const auto results = compute_on_cores(process_cores(), 3);
  ASSERT_EQ(results.size(), process_cores().size());
  std::string digest;
  const CheckReport report =
      run_check("compute", [&](CheckReport& check) { judge_cores(results, check, digest); });
  EXPECT_EQ(report.outcome, CheckOutcome::passed) << report.text;
  EXPECT_EQ(digest.size(), 32U);
  EXPECT_GT(rate_of(report, "compute.slowest_core")->value, 0.1);
}

TEST(DiagnoseTest, ACoreWithOtherBitsIsNamed) {
  const std::vector<CoreResult> results{
      {0, {"a", "a"}, 2e9}, {1, {"a", "b"}, 1e9}, {5, {"a", "a"}, 3e9}};
  CheckReport report;
  std::string digest;
  judge_cores(results, report, digest);
  EXPECT_EQ(digest, "a");
  EXPECT_EQ(report.outcome, CheckOutcome::failed);
  EXPECT_THAT(report.text, HasSubstr("core 1 computed other bits"));
  EXPECT_EQ(rate_of(report, "compute.slowest_core")->value, 1);
}

TEST(DiagnoseTest, MemoryIsMeasuredAndMustBeFree) {
  CheckReport report;
  check_memory(0, report);
  EXPECT_EQ(report.outcome, CheckOutcome::passed) << report.text;
  ASSERT_GE(report.rates.size(), 2U);
  EXPECT_GT(report.rates[1].value, 0.1);
  CheckReport lacking;
  check_memory(std::uint64_t{1} << 50U, lacking);
  EXPECT_EQ(lacking.outcome, CheckOutcome::failed);
  EXPECT_THAT(lacking.text, HasSubstr("expected at least 1048576.0 GiB"));
}

TEST(DiagnoseTest, DataArriveBetweenAllInterfaces) {
  CheckReport report;
  check_interfaces(interface_addresses(), report);
  EXPECT_EQ(report.outcome, CheckOutcome::passed) << report.text;
  ASSERT_NE(rate_of(report, "tcp.lo.lo"), nullptr);
  EXPECT_GT(rate_of(report, "tcp.lo.lo")->value, 0.01);
}

TEST(DiagnoseTest, AnInterfaceThatCannotBeUsedIsNamed) {
  auto addresses = interface_addresses();
  ASSERT_FALSE(addresses.empty());
  InterfaceAddress absent{.interface = "eth9", .text = "192.0.2.1", .address = {}};  // RFC 5737
  auto& address = reinterpret_cast<sockaddr_in&>(absent.address.storage);
  address.sin_family = AF_INET;
  ASSERT_EQ(::inet_pton(AF_INET, "192.0.2.1", &address.sin_addr), 1);
  absent.address.nbytes = sizeof address;
  CheckReport report;
  check_interfaces(std::vector{addresses.front(), absent}, report);
  EXPECT_EQ(report.outcome, CheckOutcome::failed);
  EXPECT_THAT(report.text, HasSubstr("eth9 192.0.2.1"));
  CheckReport none;
  check_interfaces({}, none);
  EXPECT_EQ(none.outcome, CheckOutcome::failed);
}

TEST(DiagnoseTest, LinksAndRdmaPortsAreRead) {
  const testing::ScratchDirectory sys;
  const auto write = [&](const std::string& path, const std::string& text) {
    std::filesystem::create_directories((sys / path).parent_path());
    sys.write(path, text);
  };
  for (const char* name : {"eth0", "eth1"}) {
    std::filesystem::create_directories(sys / "class/net" / name / "device");
    write(std::string("class/net/") + name + "/speed", "25000\n");
  }
  write("class/net/eth0/carrier", "1\n");
  write("class/net/eth1/carrier", "0\n");
  write("class/net/lo/carrier", "1\n");
  write("class/infiniband/mlx5_0/ports/1/state", "4: ACTIVE\n");
  write("class/infiniband/mlx5_0/ports/1/rate", "100 Gb/sec (4X EDR)\n");
  write("class/infiniband/mlx5_1/ports/1/state", "1: DOWN\n");
  CheckReport report;
  check_links(sys / ".", report);
  ASSERT_EQ(report.rates.size(), 2U);
  EXPECT_EQ(report.rates[0], (Rate{"link.eth0", 25000, "Mbit/s", 1}));
  EXPECT_EQ(report.rates[1], (Rate{"rdma.mlx5_0.1", 100, "Gbit/s", 1}));
  EXPECT_EQ(report.text, "1 network interface and 1 RDMA port with a link");
}

TEST(DiagnoseTest, TheDiskMustHaveSpaceAndTakeAFile) {
  const testing::ScratchDirectory scratch;
  CheckReport report;
  check_disk(scratch / "run/not/there", 1, report);
  EXPECT_EQ(report.outcome, CheckOutcome::passed) << report.text;
  EXPECT_TRUE(std::filesystem::is_empty(scratch / "."));
  CheckReport full;
  check_disk(scratch / ".", std::uint64_t{1} << 60U, full);
  EXPECT_THAT(full.text, HasSubstr("expected at least 1073741824.0 GiB"));
  const CheckReport closed =
      run_check("disk", [&](CheckReport& check) { check_disk("/proc/self", 0, check); });
  EXPECT_EQ(closed.outcome, CheckOutcome::failed);
  EXPECT_THAT(closed.text, HasSubstr("expected a directory in which files can be made"));
}

TEST(DiagnoseTest, AClockThatWasSetOrIsBehindFails) {
  constexpr std::int64_t kSecond = 1'000'000'000, kNow = 1'800'000'000 * kSecond;
  const auto judged = [&](std::int64_t passed, std::int64_t not_before) {
    CheckReport report;
    judge_clocks({kNow, 0}, {kNow + passed, 3 * kSecond}, not_before, report);
    return report;
  };
  EXPECT_EQ(judged(3 * kSecond, 0).outcome, CheckOutcome::passed);
  EXPECT_THAT(judged(63 * kSecond, 0).text, HasSubstr("was set by 60.0 s"));
  EXPECT_THAT(judged(-57 * kSecond, 0).text, HasSubstr("was set by -60.0 s"));
  const CheckReport behind = judged(3 * kSecond, kNow + 4 * kSecond);
  EXPECT_EQ(behind.outcome, CheckOutcome::failed);
  EXPECT_THAT(behind.text, HasSubstr("expected a time after 2027-01-15"));
}

TEST(DiagnoseTest, FaultsOfDevicesAreNamed) {
  CheckReport none;
  check_devices(none, "libabsent-nvml.so");
  EXPECT_EQ(none.outcome, CheckOutcome::skipped);
  for (const auto& [fault, text] : {std::pair{"ecc", "device 1: 7 memory errors"},
                                    {"row", "device 1: a row of its memory"},
                                    {"pending", "device 1: rows of its memory wait"},
                                    {"lost", "device 1: GPU is lost"}}) {
    // NOLINTNEXTLINE(concurrency-mt-unsafe): no other thread runs
    ::setenv("MEGASCALE_FAKE_FAULT", fault, 1);
    CheckReport report;
    check_devices(report, MEGASCALE_FAULTY_NVML);
    EXPECT_EQ(report.outcome, CheckOutcome::failed) << fault;
    EXPECT_THAT(report.text, HasSubstr(text));
  }
  // NOLINTNEXTLINE(concurrency-mt-unsafe): likewise
  ::unsetenv("MEGASCALE_FAKE_FAULT");
  CheckReport healthy;
  check_devices(healthy, MEGASCALE_FAULTY_NVML);
  EXPECT_EQ(healthy.outcome, CheckOutcome::passed) << healthy.text;
  EXPECT_EQ(*rate_of(healthy, "device1.link_width"), (Rate{"device1.link_width", 16, "lanes", 1}));
}

TEST(DiagnoseTest, LocalRanksExchangeData) {
  CheckReport report;
  check_exchange(3, report);
  if (report.outcome == CheckOutcome::skipped) GTEST_SKIP() << report.text;
  EXPECT_EQ(report.outcome, CheckOutcome::passed) << report.text;
  EXPECT_GT(rate_of(report, "all_to_all.bus")->value, 0);
  CheckReport alone;
  check_exchange(1, alone);
  EXPECT_EQ(alone.outcome, CheckOutcome::skipped);
}

TEST(DiagnoseTest, AnErrorOfACheckIsItsFailure) {
  const CheckReport report =
      run_check("disk", [](CheckReport&) { throw Error(ErrorCode::io, "the disk is gone"); });
  EXPECT_EQ(report.outcome, CheckOutcome::failed);
  EXPECT_EQ(report.text, "the disk is gone");
  EXPECT_THROW((void)check_host({.only = {"disks"}}), Error);
}

TEST(SystemFilesTest, CpuListsAreParsed) {
  EXPECT_EQ(parse_cpu_list("0-2,8"), (std::vector{0, 1, 2, 8}));
  EXPECT_TRUE(parse_cpu_list("").empty());
  for (const char* wrong : {"2-1", "a", "1-", "0-999999999", "-1"})
    EXPECT_TRUE(parse_cpu_list(wrong).empty()) << wrong;
}

}  // namespace
}  // namespace megascale::diagnose
