#include "megascale/kernels/cuda/gemm.h"

#include <cublasLt.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>

namespace megascale::kernels::cuda {
namespace {

Error error_of(cublasStatus_t status, const char* action) {
  return {status == CUBLAS_STATUS_NOT_SUPPORTED ? ErrorCode::unsupported : ErrorCode::failed,
          fmt::format("cuBLASLt: cannot {}: {}", action, cublasLtGetStatusString(status))};
}
void require(cublasStatus_t status, const char* action) {
  if (status != CUBLAS_STATUS_SUCCESS) throw error_of(status, action);
}

// One per thread, as devices are chosen per thread. Never destroyed: the runtime may be gone by the
// end of a thread.
cublasLtHandle_t handle() {
  thread_local cublasLtHandle_t handle = nullptr;
  if (handle == nullptr) require(cublasLtCreate(&handle), "start");
  return handle;
}

struct DescriptorDeleter {
  void operator()(cublasLtMatmulDesc_t d) const noexcept { (void)cublasLtMatmulDescDestroy(d); }
};
struct LayoutDeleter {
  void operator()(cublasLtMatrixLayout_t l) const noexcept { (void)cublasLtMatrixLayoutDestroy(l); }
};
struct PreferenceDeleter {
  void operator()(cublasLtMatmulPreference_t p) const noexcept {
    (void)cublasLtMatmulPreferenceDestroy(p);
  }
};
using Descriptor = std::unique_ptr<cublasLtMatmulDescOpaque_t, DescriptorDeleter>;
using Layout = std::unique_ptr<cublasLtMatrixLayoutOpaque_t, LayoutDeleter>;
using Preference = std::unique_ptr<cublasLtMatmulPreferenceOpaque_t, PreferenceDeleter>;

cudaDataType_t data_type(DType dtype) {
  return dtype == DType::bfloat16 ? CUDA_R_16BF : CUDA_R_32F;
}

// A matrix as cuBLASLt sees it: columns one after the other, no gaps.
Layout layout(cudaDataType_t type, std::size_t rows, std::size_t columns) {
  cublasLtMatrixLayout_t made = nullptr;
  require(cublasLtMatrixLayoutCreate(&made, type, rows, columns, static_cast<std::int64_t>(rows)),
          "describe a matrix");
  return Layout(made);
}

template <class T>
void set(cublasLtMatmulDesc_t d, cublasLtMatmulDescAttributes_t name, const T& value) {
  require(cublasLtMatmulDescSetAttribute(d, name, &value, sizeof value), "describe a product");
}
template <class T>
void set(cublasLtMatmulPreference_t p, cublasLtMatmulPreferenceAttributes_t name, const T& value) {
  require(cublasLtMatmulPreferenceSetAttribute(p, name, &value, sizeof value), "state preferences");
}

// What every row of so many bytes is aligned to, where the first one is to 256.
std::uint32_t alignment(std::size_t row_nbytes) {
  constexpr std::size_t kMost = 16;  // what the widest accesses ask for
  return static_cast<std::uint32_t>(std::min(row_nbytes & (~row_nbytes + 1), kMost));
}

}  // namespace

// Our rows are its columns, so a row-major C = A B is its C^T = B^T A^T. `first` and `second` are
// its operands.
struct Gemm::Impl {
  GemmConfig config;
  Descriptor descriptor;
  Layout first, second, result;
  cublasLtMatmulAlgo_t way{};
  mutable std::optional<Error> error;

  explicit Impl(const GemmConfig& c) : config(c) {
    cublasLtMatmulDesc_t made = nullptr;
    // CUBLAS_COMPUTE_32F is plain float32 for float32 operands: TF32 would be another compute type.
    require(cublasLtMatmulDescCreate(&made, CUBLAS_COMPUTE_32F, CUDA_R_32F), "describe a product");
    descriptor.reset(made);
    const cudaDataType_t type = data_type(c.dtype);
    cublasOperation_t first_as = CUBLAS_OP_N, second_as = CUBLAS_OP_N;
    switch (c.kind) {
      case GemmKind::forward:  // y^T[out,rows] = w[out,in] x^T[in,rows]; w is seen as w^T
        first = layout(type, c.in, c.out);
        first_as = CUBLAS_OP_T;
        second = layout(type, c.in, c.rows);
        result = layout(type, c.out, c.rows);
        break;
      case GemmKind::input_gradient:  // dx^T[in,rows] = w^T[in,out] dy^T[out,rows]
        first = layout(type, c.in, c.out);
        second = layout(type, c.out, c.rows);
        result = layout(type, c.in, c.rows);
        break;
      case GemmKind::weight_gradient:  // dw^T[in,out] = x^T[in,rows] dy[rows,out]
        first = layout(type, c.in, c.rows);
        second = layout(type, c.out, c.rows);
        second_as = CUBLAS_OP_T;
        result = layout(CUDA_R_32F, c.in, c.out);
        break;
    }
    set(descriptor.get(), CUBLASLT_MATMUL_DESC_TRANSA, first_as);
    set(descriptor.get(), CUBLASLT_MATMUL_DESC_TRANSB, second_as);
    if (c.bias) {
      set(descriptor.get(), CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_BIAS);
      set(descriptor.get(), CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, type);
    }
    find();
  }

  void find() {
    cublasLtMatmulPreference_t made = nullptr;
    require(cublasLtMatmulPreferenceCreate(&made), "state preferences");
    const Preference preference(made);
    set(made, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, kGemmWorkspaceNbytes);
    // A part of a tensor may begin at any row.
    const std::size_t item = itemsize(config.dtype);
    const bool weight = config.kind == GemmKind::weight_gradient;
    const std::size_t result_item = weight ? sizeof(float) : item;
    set(made, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, alignment(config.in * item));
    set(made, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
        alignment((config.kind == GemmKind::forward ? config.in : config.out) * item));
    const std::uint32_t of_result =
        alignment((config.kind == GemmKind::forward ? config.out : config.in) * result_item);
    set(made, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, of_result);
    set(made, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, of_result);
    // Sums that are split are joined in float32, in one order.
    const std::uint32_t schemes =
        CUBLASLT_REDUCTION_SCHEME_NONE | CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE;
    set(made, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, schemes);
    std::array<cublasLtMatmulHeuristicResult_t, 8> proposals{};
    int count = 0;
    const cublasStatus_t status = cublasLtMatmulAlgoGetHeuristic(
        handle(), descriptor.get(), first.get(), second.get(), result.get(), result.get(), made,
        static_cast<int>(proposals.size()), proposals.data(), &count);
    // By expected time; one that does not fit these sizes has a state that says so.
    const std::span found(proposals.data(), static_cast<std::size_t>(count));
    const auto favourite = std::find_if(found.begin(), found.end(), [](const auto& proposal) {
      return proposal.state == CUBLAS_STATUS_SUCCESS;
    });
    if (status != CUBLAS_STATUS_SUCCESS || favourite == found.end()) {
      Error missing = error_of(
          status == CUBLAS_STATUS_SUCCESS ? CUBLAS_STATUS_NOT_SUPPORTED : status, "find a product");
      missing.add_context(fmt::format("preparing one of {} rows, {} inputs, {} outputs, {}",
                                      config.rows, config.in, config.out, to_string(config.dtype)));
      throw missing;
    }
    way = favourite->algo;
  }

  const Error* run(const GemmOperands& o, CUstream_st* stream) const noexcept {
    const bool weight = config.kind == GemmKind::weight_gradient;
    const void* a = o.right;  // w, or x of a weight gradient
    const void* b = o.left;
    const float alpha = 1, beta = config.accumulate ? 1 : 0;
    const void* c = config.accumulate && !weight ? o.addend : o.result;
    cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
    if (config.bias) {
      status = cublasLtMatmulDescSetAttribute(descriptor.get(), CUBLASLT_MATMUL_DESC_BIAS_POINTER,
                                              &o.bias, sizeof o.bias);
    }
    if (status == CUBLAS_STATUS_SUCCESS) {
      status = cublasLtMatmul(handle(), descriptor.get(), &alpha, a, first.get(), b, second.get(),
                              &beta, c, result.get(), o.result, result.get(), &way, o.workspace,
                              kGemmWorkspaceNbytes, stream);
    }
    if (status == CUBLAS_STATUS_SUCCESS) return nullptr;
    error = error_of(status, "run a product");
    return &*error;
  }
};

Gemm::Gemm(const GemmConfig& config) : impl_(std::make_unique<Impl>(config)) {}
Gemm::~Gemm() = default;
Gemm::Gemm(Gemm&&) noexcept = default;

const Error* Gemm::run(const GemmOperands& operands, CUstream_st* stream) const noexcept {
  return impl_->run(operands, stream);
}

}  // namespace megascale::kernels::cuda
