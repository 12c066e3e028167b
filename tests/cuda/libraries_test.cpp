// Calls of NVIDIA's libraries on an emulated device: attention in parts, and libraries that fail.
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "cuda/device_operation.h"
#include "cuda/emulation/emulation.h"
#include "cuda/emulation/numbers.h"
#include "cuda/op_cases.h"
#include "megascale/base/error.h"
#include "megascale/cuda/memory.h"
#include "megascale/cuda/stream.h"
#include "megascale/kernels/cuda/cudnn_attention.h"

namespace megascale::testing {
namespace {

using namespace kernels::cuda;

constexpr AttentionShape kShape{.batch = 4,
                                .sequence = 9,
                                .query_heads = 8,
                                .kv_heads = 4,
                                .head_size = 16,
                                .window = 5,
                                .dtype = DType::bfloat16};

// Device memory for one batch of attention and its gradient.
class Batch {
 public:
  Batch() {
    std::mt19937_64 random(3);
    std::normal_distribution<float> normal;
    for (const cuda::DeviceMemory* memory : {&qkv_, &grad_o_}) {
      std::vector<std::uint16_t> values(memory->bytes().size() / sizeof(std::uint16_t));
      for (std::uint16_t& value : values) value = emulation::to_bfloat16(normal(random));
      cuda::copy_to_device(memory->bytes().data(), std::as_bytes(std::span(values)));
    }
  }
  // Returns o and the gradient of qkv, computed in parts.
  std::vector<std::byte> compute(AttentionPart part) {
    const AttentionForward forward{
        .qkv = qkv_.bytes().data(), .o = o_.bytes().data(), .lse = lse()};
    run({kShape, part, Direction::forward, true}, forward);
    const AttentionBackward backward{.grad_o = grad_o_.bytes().data(),
                                     .qkv = qkv_.bytes().data(),
                                     .o = o_.bytes().data(),
                                     .lse = lse(),
                                     .grad_qkv = grad_.bytes().data()};
    run({kShape, part, Direction::backward, true}, backward);
    std::vector<std::byte> result(o_.bytes().size() + grad_.bytes().size());
    const std::span all(result);
    cuda::copy_to_host(all.first(o_.bytes().size()), o_.bytes().data());
    cuda::copy_to_host(all.subspan(o_.bytes().size()), grad_.bytes().data());
    cuda::fill_zero(o_.bytes());
    cuda::fill_zero(grad_.bytes());
    return result;
  }

 private:
  template <class Operands>
  void run(const CudnnCall& call, const Operands& operands) {
    const auto attention = CudnnAttention::make(call);
    const cuda::DeviceMemory workspace(cudnn_workspace_bytes(call));
    const cuda::Stream stream;
    for (std::size_t batch = 0; batch < kShape.batch; batch += call.part.batch) {
      for (std::size_t head = 0; head < kShape.kv_heads; head += call.part.kv_heads) {
        ASSERT_EQ(attention->run(addresses_of(kShape, operands, batch, head),
                                 workspace.bytes().data(), stream.get()),
                  nullptr);
      }
    }
    stream.synchronize();
  }
  [[nodiscard]] float* lse() const { return reinterpret_cast<float*>(lse_.bytes().data()); }
  static constexpr std::size_t kTokens = kShape.batch * kShape.sequence,
                               kWidth = kShape.query_heads * kShape.head_size;
  cuda::DeviceMemory qkv_{kTokens * kShape.row() * 2}, grad_{kTokens * kShape.row() * 2},
      o_{kTokens * kWidth * 2}, grad_o_{kTokens * kWidth * 2},
      lse_{kTokens * kShape.query_heads * sizeof(float)};
};

TEST(CudnnAttentionTest, PartsComputeWhatTheWholeComputes) {
  Batch batch;
  const std::vector<std::byte> whole = batch.compute({4, 4});
  for (const AttentionPart part : {AttentionPart{2, 4}, {1, 4}, {1, 2}, {1, 1}})
    EXPECT_EQ(batch.compute(part), whole) << part.batch << " x " << part.kv_heads;
}

// A library may fail at any call: the error says which library and what was asked of it.
TEST(FailingLibraryTest, IsNamedInTheError) {
  const std::vector<OpCase> cases = all_cases();
  const auto message_of = [&](std::string_view kind) -> std::string {
    for (const OpCase& op : cases) {
      if (op.def->name != kind) continue;
      try {
        (void)run_on_device(op, DType::bfloat16);
      } catch (const Error& error) {
        return error.message();
      }
    }
    return "";
  };
  for (const char* function :
       {"cublasLtMatmulDescCreate", "cublasLtMatmulDescSetAttribute", "cublasLtMatrixLayoutCreate",
        "cublasLtMatmulPreferenceCreate", "cublasLtMatmulPreferenceSetAttribute",
        "cublasLtMatmulAlgoGetHeuristic", "cublasLtMatmul"}) {
    emulation::refuse_next(function);
    const std::string message = message_of("linear");
    EXPECT_NE(message.find("cuBLASLt: cannot"), std::string::npos) << function;
    EXPECT_NE(message.find(std::string("(") + function + ")"), std::string::npos) << message;
    EXPECT_NE(message.find("CUBLASLT_LOG_LEVEL=1"), std::string::npos) << "what to do";
    EXPECT_FALSE(emulation::is_refused(function)) << "was not called";
  }
  // A thread has a handle of its own.
  std::thread([&] {
    emulation::refuse_next("cublasLtCreate");
    EXPECT_NE(message_of("linear").find("cannot start (cublasLtCreate)"), std::string::npos);
  }).join();
  emulation::refuse_next("cudnnBackendFinalize");
  EXPECT_NE(message_of("attention").find("kernels.cudnn = false runs"), std::string::npos);
  emulation::refuse_next("cudnnBackendExecute");
  EXPECT_NE(message_of("attention").find("cuDNN: cannot run attention"), std::string::npos);
}

TEST(FailingLibraryTest, CutlassIsNamedInTheError) {
  const OpCase op = cutlass_cases().front();
  for (const auto& [function, message] :
       {std::pair{"cutlassGemmInitialize", "kernels.cutlass = false runs our own"},
        {"cutlassGemmRun", "CUTLASS: cannot run grouped products"}}) {
    emulation::refuse_next(function);
    try {
      (void)run_on_device(op, DType::bfloat16);
      ADD_FAILURE() << function << ": nothing was thrown";
    } catch (const Error& error) {
      EXPECT_NE(error.message().find(message), std::string::npos) << error.message();
    }
  }
}

}  // namespace
}  // namespace megascale::testing
