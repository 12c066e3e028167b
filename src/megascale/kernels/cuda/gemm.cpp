// Matrix products by cuBLASLt. Building a Gemm translates the product into cuBLASLt's column-major
// descriptors, asks the library for algorithms and chooses one: its first proposal, the one that
// GemmChoices has recorded, or the fastest by measurement. run() then only sets addresses and
// enqueues the product.
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
#include "megascale/kernels/cuda/random_operands.h"

namespace megascale::kernels::cuda {
namespace {

// `call`: the function that returned `status`.
Error error_of(cublasStatus_t status, const char* call, const char* action) {
  return {status == CUBLAS_STATUS_NOT_SUPPORTED ? ErrorCode::unsupported : ErrorCode::failed,
          fmt::format("cuBLASLt: cannot {} ({}): {}; with CUBLASLT_LOG_LEVEL=1 cuBLASLt tells more",
                      action, call, cublasLtGetStatusString(status))};
}
void require(cublasStatus_t status, const char* call, const char* action) {
  if (status != CUBLAS_STATUS_SUCCESS) throw error_of(status, call, action);
}

// Sets `handle` to the calling thread's. Each thread has its own, since CUDA's current device belongs
// to a thread. Handles are never destroyed: when a thread ends, the CUDA runtime may already be
// unloaded.
cublasStatus_t open(cublasLtHandle_t& handle) noexcept {
  thread_local cublasLtHandle_t mine = nullptr;
  const cublasStatus_t status = mine == nullptr ? cublasLtCreate(&mine) : CUBLAS_STATUS_SUCCESS;
  handle = mine;
  return status;
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

// Describes a column-major matrix without gaps.
Layout layout(cudaDataType_t type, std::size_t rows, std::size_t columns) {
  cublasLtMatrixLayout_t made = nullptr;
  require(cublasLtMatrixLayoutCreate(&made, type, rows, columns, static_cast<std::int64_t>(rows)),
          "cublasLtMatrixLayoutCreate", "describe a matrix");
  return Layout(made);
}

template <class T>
void set(cublasLtMatmulDesc_t d, cublasLtMatmulDescAttributes_t name, const T& value) {
  require(cublasLtMatmulDescSetAttribute(d, name, &value, sizeof value),
          "cublasLtMatmulDescSetAttribute", "describe a product");
}
template <class T>
void set(cublasLtMatmulPreference_t p, cublasLtMatmulPreferenceAttributes_t name, const T& value) {
  require(cublasLtMatmulPreferenceSetAttribute(p, name, &value, sizeof value),
          "cublasLtMatmulPreferenceSetAttribute", "state preferences");
}

// Returns the alignment in bytes, at most 16, that all rows of a matrix have if a row has
// `row_nbytes` bytes and the first row is aligned to 256.
std::uint32_t alignment(std::size_t row_nbytes) {
  constexpr std::size_t kMost = 16;  // the widest accesses need no more
  return static_cast<std::uint32_t>(std::min(row_nbytes & (~row_nbytes + 1), kMost));
}

// Returns the key of a product in GemmChoices: the device, the version of cuBLASLt and the whole
// configuration. A recorded algorithm is used only if all of them are equal.
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

// Device memory with operands for measuring a product: random numbers, since which algorithm is the
// fastest may depend on the power that the device draws, and zeros draw less.
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
        bias_(c.out * sizeof(float)),
        scale_(sizeof(float)),
        workspace_(kGemmWorkspaceNbytes) {
    for (const auto* operand : {&left_, &right_}) {
      if (c.fp8) {
        fill_with_float8(operand->bytes());
      } else {
        fill_with_numbers(operand->bytes(), c.dtype);
      }
    }
    const float one = 1;
    megascale::cuda::copy_to_device(scale_.bytes().data(), std::as_bytes(std::span(&one, 1)));
  }
  [[nodiscard]] GemmOperands operands() const noexcept {
    return {.left = left_.bytes().data(),
            .right = right_.bytes().data(),
            .bias = bias_.bytes().data(),
            .bias_gradient = reinterpret_cast<float*>(bias_.bytes().data()),
            .addend = result_.bytes().data(),
            .sum = sum_.bytes().data(),
            .result = result_.bytes().data(),
            .left_inverse = scale(),
            .right_inverse = scale(),
            .workspace = workspace_.bytes().data()};
  }
  [[nodiscard]] CUstream_st* stream() const noexcept { return stream_.get(); }
  // Returns the shortest time of kRepetitions runs in nanoseconds, after one run to warm up.
  // Returns nothing if cuBLASLt refuses the algorithm.
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
    return reinterpret_cast<const float*>(scale_.bytes().data());
  }
  megascale::cuda::DeviceMemory left_, right_, result_, sum_, bias_, scale_, workspace_;
  megascale::cuda::Stream stream_;
};

static_assert(sizeof(cublasLtMatmulAlgo_t) == sizeof(GemmWay));

constexpr std::uintptr_t kScaleAlignment = 16;

}  // namespace

// cuBLASLt's matrices are column-major. A row-major matrix is its transpose there, so C = A B is
// computed as C^T = B^T A^T. `first` and `second` are cuBLASLt's operands: `first` belongs to our
// `right`, `second` to our `left`.
struct Gemm::Impl {
  GemmConfig config;
  Descriptor descriptor;
  Layout first, second, result;
  cublasLtMatmulAlgo_t way{};
  mutable std::optional<Error> error;

  Impl(const GemmConfig& c, GemmChoices* choices) : config(c) {
    cublasLtMatmulDesc_t made = nullptr;
    // CUBLAS_COMPUTE_32F is plain float32 for float32 operands: TF32 would be another compute type.
    require(cublasLtMatmulDescCreate(&made, CUBLAS_COMPUTE_32F, CUDA_R_32F),
            "cublasLtMatmulDescCreate", "describe a product");
    descriptor.reset(made);
    const cudaDataType_t type = data_type(c.dtype);
    cublasOperation_t first_as = CUBLAS_OP_N, second_as = CUBLAS_OP_N;
    if (c.fp8) {
      first_as = CUBLAS_OP_T;
      lay_out_fp8(c);
      const std::int8_t fast = c.kind == GemmKind::forward ? 1 : 0;
      set(descriptor.get(), CUBLASLT_MATMUL_DESC_FAST_ACCUM, fast);
      // Without scales the library proposes algorithms that cannot scale, and then refuses to run them with
      // scales. It asks only whether there are some. run() sets the addresses that are read.
      const auto* const some = reinterpret_cast<const float*>(kScaleAlignment);
      require(set_scales({.left_inverse = some, .right_inverse = some}),
              "cublasLtMatmulDescSetAttribute", "describe a product");
    } else {
      lay_out(c, first_as, second_as);
    }
    set(descriptor.get(), CUBLASLT_MATMUL_DESC_TRANSA, first_as);
    set(descriptor.get(), CUBLASLT_MATMUL_DESC_TRANSB, second_as);
    set(descriptor.get(), CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue(c));
    if (c.bias) {
      const bool is_gradient = c.kind == GemmKind::weight_gradient;  // of the type of dw
      set(descriptor.get(), CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, is_gradient ? CUDA_R_32F : type);
    }
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
  // cuBLASLt multiplies 8-bit operands only if the summed dimension is contiguous in both.
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
    // dy is cuBLASLt's second operand.
    if (c.bias && c.kind == GemmKind::weight_gradient) return CUBLASLT_EPILOGUE_BGRADB;
    if (c.gelu && c.kind == GemmKind::input_gradient) return CUBLASLT_EPILOGUE_DGELU;
    if (c.gelu) return c.bias ? CUBLASLT_EPILOGUE_GELU_AUX_BIAS : CUBLASLT_EPILOGUE_GELU_AUX;
    return c.bias ? CUBLASLT_EPILOGUE_BIAS : CUBLASLT_EPILOGUE_DEFAULT;
  }

  // Returns the algorithms that cuBLASLt proposes, the one with the shortest expected time first.
  // At least one; throws Error if there is none.
  [[nodiscard]] std::vector<cublasLtMatmulAlgo_t> proposals() const {
    cublasLtMatmulPreference_t made = nullptr;
    require(cublasLtMatmulPreferenceCreate(&made), "cublasLtMatmulPreferenceCreate",
            "state preferences");
    const Preference preference(made);
    set(made, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, kGemmWorkspaceNbytes);
    // An operand may be a part of a tensor that begins at any row, so only the alignment of a row
    // is certain.
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
    // If an algorithm splits a sum, the parts are joined in float32, in a fixed order.
    const std::uint32_t schemes =
        CUBLASLT_REDUCTION_SCHEME_NONE | CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE;
    set(made, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, schemes);
    std::array<cublasLtMatmulHeuristicResult_t, 8> found{};
    int count = 0;
    cublasLtHandle_t library = nullptr;
    require(open(library), "cublasLtCreate", "start");
    const cublasStatus_t status = cublasLtMatmulAlgoGetHeuristic(
        library, descriptor.get(), first.get(), second.get(), result.get(), result.get(), made,
        static_cast<int>(found.size()), found.data(), &count);
    std::vector<cublasLtMatmulAlgo_t> ways;
    for (const auto& proposal : std::span(found.data(), static_cast<std::size_t>(count))) {
      // The state of a proposal says whether it supports these sizes.
      if (proposal.state == CUBLAS_STATUS_SUCCESS) ways.push_back(proposal.algo);
    }
    if (status != CUBLAS_STATUS_SUCCESS || ways.empty()) {
      Error missing =
          error_of(status == CUBLAS_STATUS_SUCCESS ? CUBLAS_STATUS_NOT_SUPPORTED : status,
                   "cublasLtMatmulAlgoGetHeuristic", "find a product");
      missing.add_context(fmt::format("preparing one of {} rows, {} inputs, {} outputs, {}",
                                      config.rows, config.in, config.out, to_string(config.dtype)));
      throw missing;
    }
    return ways;
  }

  // Measures the algorithms and returns the fastest; nothing if there is no device memory for the
  // operands.
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
    cublasLtHandle_t library = nullptr;
    const char* call = "cublasLtCreate";
    cublasStatus_t status = open(library);
    if (status == CUBLAS_STATUS_SUCCESS) call = "cublasLtMatmulDescSetAttribute";
    if (config.bias && status == CUBLAS_STATUS_SUCCESS) {
      const void* bias = weight ? o.bias_gradient : o.bias;
      status = cublasLtMatmulDescSetAttribute(descriptor.get(), CUBLASLT_MATMUL_DESC_BIAS_POINTER,
                                              &bias, sizeof bias);
    }
    if (config.fp8 && status == CUBLAS_STATUS_SUCCESS) status = set_scales(o);
    if (config.gelu && status == CUBLAS_STATUS_SUCCESS) {
      status = cublasLtMatmulDescSetAttribute(
          descriptor.get(), CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, &o.sum, sizeof o.sum);
    }
    if (status == CUBLAS_STATUS_SUCCESS) {
      call = "cublasLtMatmul";
      status = cublasLtMatmul(library, descriptor.get(), &alpha, a, first.get(), b, second.get(),
                              &beta, c, result.get(), o.result, result.get(), &way, o.workspace,
                              kGemmWorkspaceNbytes, stream);
    }
    if (status == CUBLAS_STATUS_SUCCESS) return nullptr;
    error = error_of(status, call, "run a product");
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
