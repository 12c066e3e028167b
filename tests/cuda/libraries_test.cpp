// Calls of NVIDIA's libraries on an emulated device: attention in parts, rules of cuBLASLt, and
// libraries that fail.
#include <cublasLt.h>
#include <gtest/gtest.h>

#include <algorithm>
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

// Goal: the stand-in has the rule by itself, since plans give such gradients to our own kernels.
TEST(CudnnAttentionTest, AGradientOfSequencesOfOneTokenIsRefused) {
  AttentionShape shape = kShape;
  const auto message_of = [&](Direction direction) -> std::string {
    try {
      (void)CudnnAttention::make({shape, {1, 1}, direction, true});
    } catch (const Error& error) {
      return error.message();
    }
    return "no error";
  };
  EXPECT_EQ(message_of(Direction::backward), "no error");
  shape.sequence = 1;
  EXPECT_NE(message_of(Direction::backward).find("s_q = s_kv = 1 is not supported"),
            std::string::npos);
}

// A product of bfloat16 matrices of 16 x 16, as cuBLASLt's own functions take it. All addresses are
// multiples of 256, unless a test moves them.
class BlasProduct {
 public:
  static constexpr std::size_t kMostWorkspace = std::size_t{1} << 20U;

  explicit BlasProduct(cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_DEFAULT) {
    EXPECT_EQ(cublasLtCreate(&library_), CUBLAS_STATUS_SUCCESS);
    EXPECT_EQ(cublasLtMatmulDescCreate(&product_, CUBLAS_COMPUTE_32F, CUDA_R_32F),
              CUBLAS_STATUS_SUCCESS);
    EXPECT_EQ(cublasLtMatrixLayoutCreate(&matrix_, CUDA_R_16BF, kSize, kSize, kSize),
              CUBLAS_STATUS_SUCCESS);
    EXPECT_EQ(cublasLtMatmulPreferenceCreate(&preference_), CUBLAS_STATUS_SUCCESS);
    EXPECT_EQ(
        cublasLtMatmulPreferenceSetAttribute(preference_, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                             &kMostWorkspace, sizeof kMostWorkspace),
        CUBLAS_STATUS_SUCCESS);
    set(CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue);
    set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, std::int64_t{kSize});
  }
  BlasProduct(const BlasProduct&) = delete;
  BlasProduct& operator=(const BlasProduct&) = delete;
  ~BlasProduct() {
    (void)cublasLtMatmulPreferenceDestroy(preference_);
    (void)cublasLtMatrixLayoutDestroy(matrix_);
    (void)cublasLtMatmulDescDestroy(product_);
  }
  template <class T>
  void set(cublasLtMatmulDescAttributes_t name, const T& value) {
    EXPECT_EQ(cublasLtMatmulDescSetAttribute(product_, name, &value, sizeof value),
              CUBLAS_STATUS_SUCCESS);
  }
  void set_bias(std::size_t offset) { set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, at(3, offset)); }
  void set_aux(std::size_t offset) {
    set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, at(4, offset));
  }
  // Takes the first algorithm that the library proposes, and returns the workspace that it needs.
  std::size_t choose() {
    int count = 0;
    EXPECT_EQ(cublasLtMatmulAlgoGetHeuristic(library_, product_, matrix_, matrix_, matrix_, matrix_,
                                             preference_, 1, &way_, &count),
              CUBLAS_STATUS_SUCCESS);
    return way_.workspaceSize;
  }
  cublasStatus_t run(std::byte* workspace, std::size_t nbytes) {
    const float alpha = 1, beta = 0;
    const cublasStatus_t status =
        cublasLtMatmul(library_, product_, &alpha, at(0), matrix_, at(1), matrix_, &beta, at(2),
                       matrix_, at(2), matrix_, &way_.algo, workspace, nbytes, stream_.get());
    stream_.synchronize();
    return status;
  }
  cublasStatus_t run() { return run(workspace_.bytes().data(), kMostWorkspace); }

 private:
  static constexpr std::size_t kSize = 16, kPlace = 1024;
  [[nodiscard]] void* at(std::size_t place, std::size_t offset = 0) const {
    return memory_.bytes().data() + place * kPlace + offset;
  }
  cublasLtHandle_t library_ = nullptr;
  cublasLtMatmulDesc_t product_ = nullptr;
  cublasLtMatrixLayout_t matrix_ = nullptr;
  cublasLtMatmulPreference_t preference_ = nullptr;
  cublasLtMatmulHeuristicResult_t way_{};
  cuda::DeviceMemory memory_{5 * kPlace}, workspace_{kMostWorkspace};
  cuda::Stream stream_;
};

TEST(EmulatedCublasLtTest, AWorkspaceSmallerThanTheAlgorithmsIsRefused) {
  BlasProduct product;
  const std::size_t needed = product.choose();
  ASSERT_GT(needed, 0U);
  const cuda::DeviceMemory memory(needed + 256);
  EXPECT_EQ(product.run(memory.bytes().data(), needed), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(product.run(memory.bytes().data(), needed - 1), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(product.run(nullptr, needed), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(product.run(memory.bytes().data() + 128, needed), CUBLAS_STATUS_INVALID_VALUE)
      << "no multiple of 256";
}

TEST(EmulatedCublasLtTest, AProductSpoilsItsWorkspaceAndNothingBehindIt) {
  constexpr std::size_t kEnd = std::size_t{64} << 10U, kPage = 4096;
  BlasProduct product;
  const std::size_t needed = product.choose();
  const cuda::DeviceMemory memory(needed + 256);
  ASSERT_EQ(product.run(memory.bytes().data(), memory.bytes().size()), CUBLAS_STATUS_SUCCESS);
  std::vector<std::byte> got(memory.bytes().size());
  cuda::copy_to_host(got, memory.bytes().data());
  const auto are = [](std::span<const std::byte> bytes, int value) {
    return std::ranges::all_of(bytes, [&](std::byte one) { return one == std::byte(value); });
  };
  const std::span all(got);
  EXPECT_TRUE(are(all.first(kEnd), 0xFF));
  EXPECT_TRUE(are(all.subspan(needed - kEnd, kEnd), 0xFF));
  for (std::size_t at = 0; at < needed; at += kPage)
    ASSERT_TRUE(are(all.subspan(at, 64), 0xFF)) << at;
  EXPECT_TRUE(are(all.subspan(needed), 0)) << "behind what the algorithm needs";
}

// cuBLASLt derives the alignment from the addresses that it sees when it proposes algorithms.
TEST(EmulatedCublasLtTest, BiasAndAuxiliaryBufferKeepTheAlignmentOfTheProposal) {
  BlasProduct product(CUBLASLT_EPILOGUE_GELU_AUX_BIAS);
  (void)product.choose();  // without addresses: for the widest accesses
  const auto status_at = [&](std::size_t bias, std::size_t aux) {
    product.set_bias(bias);
    product.set_aux(aux);
    return product.run();
  };
  EXPECT_EQ(status_at(16, 16), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(status_at(8, 0), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(status_at(0, 8), CUBLAS_STATUS_INVALID_VALUE);
  product.set_bias(2);
  product.set_aux(8);
  (void)product.choose();
  EXPECT_EQ(status_at(6, 24), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(status_at(6, 4), CUBLAS_STATUS_INVALID_VALUE);
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
