// A router that the system does not know writes counts on the device; transfers and ops obey them.
// On the emulated device alone: the test's own ops are functions of the host, which its streams
// run.
#include <gtest/gtest.h>

#include "cuda/device_job.h"
#include "cuda/emulation/device_words.h"
#include "cuda/emulation/emulation.h"
#include "support/routed_plan.h"
#include "support/watchdog.h"

namespace megascale::runtime {
namespace {

using testing::RoutedPlan;

// Work of the host in the order of a stream.
class OnStream final : public TaskFunction {
 public:
  explicit OnStream(std::shared_ptr<TaskFunction> function) : function_(std::move(function)) {}
  const Error* run(const TaskArguments& arguments) noexcept override {
    std::vector<std::byte*> operands(arguments.operands.begin(), arguments.operands.end());
    emulation::enqueue(arguments.stream, [operands, function = function_, given = arguments] {
      TaskArguments mine = given;  // whose span of operands may be gone
      mine.operands = operands;
      (void)function->run(mine);
    });
    return nullptr;
  }

 private:
  std::shared_ptr<TaskFunction> function_;
};

TEST(DeviceRoutedTest, RowsGoWhereCountsOnTheDeviceSayAndComeBack) {
  const testing::Watchdog watchdog("a routed step on the emulated device");
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    emulation::seed(seed);
    auto writers = RoutedPlan::write();
    for (auto& writer : writers) {
      for (auto& function : writer.functions) {
        if (function != nullptr) function = std::make_shared<OnStream>(function);
      }
    }
    const auto check = [&](std::uint32_t rank, std::span<std::byte> arena) {
      for (const plan::Buffer& buffer : writers[rank].tables.buffers) {
        if (buffer.name != RoutedPlan::kResult) continue;
        std::vector<float> result(RoutedPlan::kTokens * RoutedPlan::kColumns);
        cuda::copy_to_host(std::as_writable_bytes(std::span(result)), arena.data() + buffer.offset);
        for (std::int64_t i = 0; i < std::ssize(result); ++i) {
          EXPECT_EQ(result[static_cast<std::size_t>(i)],
                    RoutedPlan::result(rank, i / RoutedPlan::kColumns, i % RoutedPlan::kColumns))
              << "rank " << rank << " element " << i << " seed " << seed;
        }
      }
    };
    for (const auto& error : testing::run_on_device(writers, {.steps = 3, .then = check}))
      EXPECT_FALSE(error) << error->message();
  }
}

}  // namespace
}  // namespace megascale::runtime
