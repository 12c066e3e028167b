#include "megascale/kernels/cuda/gemm.h"

#include <cublasLt.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "megascale/cuda/device.h"
#include "megascale/cuda/memory.h"
#include "megascale/cuda/stream.h"
#include "megascale/kernels/cuda/gemm_choices.h"

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

// What a way was the fastest for.
std::string name_of(const GemmConfig& c) {
  constexpr std::array<const char*, 3> kKinds{"forward", "input_gradient", "weight_gradient"};
  int device = 0;
  (void)cudaGetDevice(&device);
  const auto properties = megascale::cuda::properties(static_cast<std::uint32_t>(device));
  return fmt::format("{} cuBLASLt {} {} rows {} in {} out {} {}{}{}{}{}", properties.name,
                     cublasLtGetVersion(), kKinds[static_cast<std::size_t>(c.kind)], c.rows, c.in,
                     c.out, to_string(c.dtype), c.bias ? " bias" : "",
                     c.accumulate ? " accumulate" : "", c.gelu ? " gelu" : "", c.fp8 ? " fp8" : "");
}

// Operands of a product to measure it with.
class Trial {
 public:
  explicit Trial(const GemmConfig& c)
      : left_(c.rows * (c.kind == GemmKind::forward ? c.in : c.out) * itemsize(c.dtype)),
        right_(c.kind == GemmKind::weight_gradient ? c.rows * c.in * itemsize(c.dtype)
                                                   : c.in * c.out * itemsize(c.dtype)),
        result_(c.kind == GemmKind::weight_gradient
                    ? c.in * c.out * sizeof(float)
                    : c.rows * (c.kind == GemmKind::forward ? c.out : c.in) * itemsize(c.dtype)),
        sum_(c.gelu ? result_.bytes().size() : sizeof(float)),
        bias_(c.out * itemsize(c.dtype)),
        workspace_(kGemmWorkspaceNbytes) {}
  [[nodiscard]] GemmOperands operands() const noexcept {
    return {.left = left_.bytes().data(),
            .right = right_.bytes().data(),
            .bias = bias_.bytes().data(),
            .addend = result_.bytes().data(),
            .sum = sum_.bytes().data(),
            .result = result_.bytes().data(),
            .left_inverse = scale(),
            .right_inverse = scale(),
            .workspace = workspace_.bytes().data()};
  }
  [[nodiscard]] CUstream_st* stream() const noexcept { return stream_.get(); }
  // The shortest of a few, behind one to warm up; nothing where the way was refused.
  template <class Run>
  [[nodiscard]] std::optional<std::int64_t> ns_of(const Run& run) const {
    constexpr int kRepetitions = 5;
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (int i = 0; i <= kRepetitions; ++i) {
      megascale::cuda::Event begin, end;
      begin.record(stream());
      if (run() != nullptr) return std::nullopt;
      end.record(stream());
      end.wait();
      if (i > 0) least = std::min(least, end.ns_since(begin));
    }
    return least;
  }

 private:
  [[nodiscard]] const float* scale() const noexcept {
    return reinterpret_cast<const float*>(sum_.bytes().data());
  }
  megascale::cuda::DeviceMemory left_, right_, result_, sum_, bias_, workspace_;
  megascale::cuda::Stream stream_;
};

static_assert(sizeof(cublasLtMatmulAlgo_t) == sizeof(GemmWay));

}  // namespace

// Our rows are its columns, so a row-major C = A B is its C^T = B^T A^T. `first` and `second` are
// its operands.
struct Gemm::Impl {
  GemmConfig config;
  Descriptor descriptor;
  Layout first, second, result;
  cublasLtMatmulAlgo_t way{};
  mutable std::optional<Error> error;

  Impl(const GemmConfig& c, GemmChoices* choices) : config(c) {
    cublasLtMatmulDesc_t made = nullptr;
    // CUBLAS_COMPUTE_32F is plain float32 for float32 operands: TF32 would be another compute type.
    require(cublasLtMatmulDescCreate(&made, CUBLAS_COMPUTE_32F, CUDA_R_32F), "describe a product");
    descriptor.reset(made);
    const cudaDataType_t type = data_type(c.dtype);
    cublasOperation_t first_as = CUBLAS_OP_N, second_as = CUBLAS_OP_N;
    if (c.fp8) {
      first_as = CUBLAS_OP_T;
      lay_out_fp8(c);
      const std::int8_t fast = c.kind == GemmKind::forward ? 1 : 0;
      set(descriptor.get(), CUBLASLT_MATMUL_DESC_FAST_ACCUM, fast);
    } else {
      lay_out(c, first_as, second_as);
    }
    set(descriptor.get(), CUBLASLT_MATMUL_DESC_TRANSA, first_as);
    set(descriptor.get(), CUBLASLT_MATMUL_DESC_TRANSB, second_as);
    set(descriptor.get(), CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue(c));
    if (c.bias) set(descriptor.get(), CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, type);
    if (c.gelu) {
      const auto columns = static_cast<std::int64_t>(c.kind == GemmKind::forward ? c.out : c.in);
      set(descriptor.get(), CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, columns);
    }
    const std::string product = name_of(c);
    if (choices != nullptr) {
      if (const auto known = choices->find(product)) {
        way = std::bit_cast<cublasLtMatmulAlgo_t>(*known);
        return;
      }
    }
    const std::vector<cublasLtMatmulAlgo_t> ways = proposals();
    way = ways.front();
    if (choices == nullptr) return;
    const auto fastest = fastest_of(ways);
    if (!fastest) return;
    way = std::bit_cast<cublasLtMatmulAlgo_t>(
        choices->add(product, std::bit_cast<GemmWay>(*fastest)));
  }

  void lay_out(const GemmConfig& c, cublasOperation_t& first_as, cublasOperation_t& second_as) {
    const cudaDataType_t type = data_type(c.dtype);
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
  }
  // Both with the terms of a sum side by side, which is the only way that there is.
  void lay_out_fp8(const GemmConfig& c) {
    const bool is_forward = c.kind == GemmKind::forward;
    const bool is_weight = c.kind == GemmKind::weight_gradient;
    const std::size_t terms = is_forward ? c.in : is_weight ? c.rows : c.out;
    const std::size_t columns = is_forward ? c.out : c.in, rows = is_weight ? c.out : c.rows;
    first = layout(CUDA_R_8F_E4M3, terms, columns);
    second = layout(is_forward ? CUDA_R_8F_E4M3 : CUDA_R_8F_E5M2, terms, rows);
    result = layout(is_weight ? CUDA_R_32F : data_type(c.dtype), columns, rows);
  }

  static cublasLtEpilogue_t epilogue(const GemmConfig& c) {
    if (c.gelu && c.kind == GemmKind::input_gradient) return CUBLASLT_EPILOGUE_DGELU;
    if (c.gelu) return c.bias ? CUBLASLT_EPILOGUE_GELU_AUX_BIAS : CUBLASLT_EPILOGUE_GELU_AUX;
    return c.bias ? CUBLASLT_EPILOGUE_BIAS : CUBLASLT_EPILOGUE_DEFAULT;
  }

  // By expected time; never empty.
  [[nodiscard]] std::vector<cublasLtMatmulAlgo_t> proposals() const {
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
    std::array<cublasLtMatmulHeuristicResult_t, 8> found{};
    int count = 0;
    const cublasStatus_t status = cublasLtMatmulAlgoGetHeuristic(
        handle(), descriptor.get(), first.get(), second.get(), result.get(), result.get(), made,
        static_cast<int>(found.size()), found.data(), &count);
    std::vector<cublasLtMatmulAlgo_t> ways;
    for (const auto& proposal : std::span(found.data(), static_cast<std::size_t>(count))) {
      // One that does not fit these sizes has a state that says so.
      if (proposal.state == CUBLAS_STATUS_SUCCESS) ways.push_back(proposal.algo);
    }
    if (status != CUBLAS_STATUS_SUCCESS || ways.empty()) {
      Error missing = error_of(
          status == CUBLAS_STATUS_SUCCESS ? CUBLAS_STATUS_NOT_SUPPORTED : status, "find a product");
      missing.add_context(fmt::format("preparing one of {} rows, {} inputs, {} outputs, {}",
                                      config.rows, config.in, config.out, to_string(config.dtype)));
      throw missing;
    }
    return ways;
  }

  // On operands of zeros: which values there are changes how much current flows, not which way is
  // best. Nothing where they have no place.
  [[nodiscard]] std::optional<cublasLtMatmulAlgo_t> fastest_of(
      const std::vector<cublasLtMatmulAlgo_t>& ways) {
    try {
      const Trial trial(config);
      std::optional<cublasLtMatmulAlgo_t> fastest;
      std::int64_t least = std::numeric_limits<std::int64_t>::max();
      for (const cublasLtMatmulAlgo_t& candidate : ways) {
        way = candidate;
        const auto ns = trial.ns_of([&] { return run(trial.operands(), trial.stream()); });
        if (!ns || *ns >= least) continue;
        least = *ns;
        fastest = candidate;
      }
      return fastest;
    } catch (const Error& failure) {
      if (failure.code() == ErrorCode::out_of_memory) return std::nullopt;
      throw;
    }
  }

  [[nodiscard]] cublasStatus_t set_scales(const GemmOperands& o) const noexcept {
    const cublasStatus_t status =
        cublasLtMatmulDescSetAttribute(descriptor.get(), CUBLASLT_MATMUL_DESC_A_SCALE_POINTER,
                                       &o.right_inverse, sizeof o.right_inverse);
    if (status != CUBLAS_STATUS_SUCCESS) return status;
    return cublasLtMatmulDescSetAttribute(descriptor.get(), CUBLASLT_MATMUL_DESC_B_SCALE_POINTER,
                                          &o.left_inverse, sizeof o.left_inverse);
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
    if (config.fp8 && status == CUBLAS_STATUS_SUCCESS) status = set_scales(o);
    if (config.gelu && status == CUBLAS_STATUS_SUCCESS) {
      status = cublasLtMatmulDescSetAttribute(
          descriptor.get(), CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, &o.sum, sizeof o.sum);
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

Gemm::Gemm(const GemmConfig& config, GemmChoices* choices)
    : impl_(std::make_unique<Impl>(config, choices)) {}
Gemm::~Gemm() = default;
Gemm::Gemm(Gemm&&) noexcept = default;

const Error* Gemm::run(const GemmOperands& operands, CUstream_st* stream) const noexcept {
  return impl_->run(operands, stream);
}

}  // namespace megascale::kernels::cuda
