// cuBLASLt's functions by plain loops. They check what NVIDIA documents about their arguments (cuBLAS 13,
// "Using the cuBLASLt API") and refuse as the library does: a product that breaks a rule has no algorithm, and an algorithm
// runs only what it was proposed for.
#include <cublasLt.h>

#include <array>
#include <cstring>
#include <vector>

#include "cuda/emulation/emulation.h"
#include "cuda/emulation/numbers.h"

// Descriptions of matrices and products, as the calls have made them. They lie in the opaque types of the
// header, which are as large as those of the library.
namespace megascale::emulation {
namespace {

struct Product {
  cublasComputeType_t compute = CUBLAS_COMPUTE_32F;
  cublasOperation_t as_a = CUBLAS_OP_N, as_b = CUBLAS_OP_N;
  cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  const void* bias = nullptr;
  std::int32_t bias_type = -1;  // -1: that of the result
  void* aux = nullptr;
  std::int64_t aux_ld = 0;
  const float *a_scale = nullptr, *b_scale = nullptr;
  std::int8_t fast_accumulation = 0;
};
// Columns follow each other.
struct Matrix {
  cudaDataType_t type = CUDA_R_32F;
  std::uint64_t rows = 0, columns = 0;
  std::int64_t ld = 0;
};
struct Preference {
  std::uint64_t most_workspace = 0;
  std::uint32_t a = 256, b = 256, c = 256, d = 256;  // alignment of addresses, bytes
  std::uint32_t schemes = CUBLASLT_REDUCTION_SCHEME_MASK;
};
// An algorithm: the product that it was proposed for, the workspace that it needs and the alignments
// that it relies on, in the words of cublasLtMatmulAlgo_t.
struct Algorithm {
  std::uint64_t product, workspace_nbytes;
  std::uint32_t a, b, c, d, bias, aux;
};
static_assert(sizeof(Algorithm) <= sizeof(cublasLtMatmulAlgo_t));

template <class T, class Opaque>
T& of(Opaque* opaque) {
  return *reinterpret_cast<T*>(opaque);
}
template <class Opaque, class T>
Opaque* opaque_of(T* object) {
  return reinterpret_cast<Opaque*>(object);
}

template <class T>
bool take(T& into, const void* value, std::size_t nbytes) {
  if (value == nullptr || nbytes != sizeof(T)) return false;
  std::memcpy(&into, value, nbytes);
  return true;
}

bool is_float8(cudaDataType_t type) { return type == CUDA_R_8F_E4M3 || type == CUDA_R_8F_E5M2; }
std::size_t itemsize_of(cudaDataType_t type) {
  return type == CUDA_R_32F ? 4 : type == CUDA_R_16BF ? 2 : 1;
}

// Returns the alignment that an algorithm relies on if the description of its product has this address
// when algorithms are asked for: "Routines that don't dereference this pointer, like
// cublasLtMatmulAlgoGetHeuristic() depend on its value to determine expected pointer alignment"
// (cublasLt.h, of the bias and the auxiliary buffer). A null pointer is a multiple of everything.
std::uint32_t relied_alignment(const void* address) {
  std::uint32_t alignment = 16;  // of the widest access
  while (!is_aligned(address, alignment)) alignment /= 2;
  return alignment;
}

// Overwrites what an algorithm may use of its workspace. A whole one of 32 MiB for each product would
// take most of the time of a training: both ends and the first bytes of each page are
// enough to find a workspace that is too small or that others use.
void spoil(void* workspace, std::size_t nbytes) {
  constexpr std::size_t kEnd = std::size_t{64} << 10U, kPage = 4096, kLine = 64;
  constexpr int kPoison = 0xFF;  // NaN
  auto* const bytes = static_cast<std::byte*>(workspace);
  if (nbytes <= 2 * kEnd) {
    std::memset(bytes, kPoison, nbytes);
    return;
  }
  std::memset(bytes, kPoison, kEnd);
  for (std::size_t at = kEnd; at < nbytes - kEnd; at += kPage)
    std::memset(bytes + at, kPoison, kLine);
  std::memset(bytes + nbytes - kEnd, kPoison, kEnd);
}

struct Shape {
  std::size_t rows = 0, columns = 0, terms = 0;  // of the result; of a sum
};
// Whether the matrices belong together.
bool fits(const Product& p, const Matrix& a, const Matrix& b, const Matrix& c, const Matrix& d,
          Shape& shape) {
  const bool ta = p.as_a == CUBLAS_OP_T, tb = p.as_b == CUBLAS_OP_T;
  shape = {ta ? a.columns : a.rows, tb ? b.rows : b.columns, ta ? a.rows : a.columns};
  const std::size_t terms = tb ? b.columns : b.rows;
  const auto is_result = [&](const Matrix& m) {
    return m.rows == shape.rows && m.columns == shape.columns;
  };
  for (const Matrix* m : {&a, &b, &c, &d}) {
    if (m->rows == 0 || m->columns == 0 || m->ld < static_cast<std::int64_t>(m->rows)) return false;
  }
  return terms == shape.terms && is_result(c) && is_result(d) && c.type == d.type;
}

// The table of supported types, and the rules of 8-bit operands: the terms of both side by side, sizes in multiples of 16
// bytes, factors for both, and one of them in E4M3.
bool serves(const Product& p, const Matrix& a, const Matrix& b, const Matrix& d,
            const Shape& shape) {
  if (is_float8(a.type) != is_float8(b.type)) return false;
  const std::int32_t bias_type = p.bias_type < 0 ? d.type : p.bias_type;
  const bool has_bias =
      p.epilogue == CUBLASLT_EPILOGUE_BIAS || p.epilogue == CUBLASLT_EPILOGUE_GELU_AUX_BIAS;
  const bool has_aux = p.epilogue == CUBLASLT_EPILOGUE_GELU_AUX_BIAS ||
                       p.epilogue == CUBLASLT_EPILOGUE_GELU_AUX ||
                       p.epilogue == CUBLASLT_EPILOGUE_DGELU;
  if (has_aux && (p.aux_ld % 8 != 0 || p.aux_ld < static_cast<std::int64_t>(shape.rows)))
    return false;
  // A gradient of the bias has the type of the result.
  if (p.epilogue == CUBLASLT_EPILOGUE_BGRADB && (is_float8(a.type) || bias_type != d.type))
    return false;
  if (!is_float8(a.type)) {
    if (p.a_scale != nullptr || p.b_scale != nullptr || p.fast_accumulation != 0) return false;
    if (a.type != b.type || (has_bias && bias_type != d.type)) return false;
    return a.type == CUDA_R_32F ? d.type == CUDA_R_32F
                                : d.type == CUDA_R_16BF || d.type == CUDA_R_32F;
  }
  if (a.type == CUDA_R_8F_E5M2 && b.type == CUDA_R_8F_E5M2) return false;
  if (p.as_a != CUBLAS_OP_T || p.as_b != CUBLAS_OP_N || has_aux) return false;
  if (p.a_scale == nullptr || p.b_scale == nullptr) return false;
  if (has_bias && bias_type != CUDA_R_16BF) return false;
  const auto in_16 = [](std::size_t n) { return n % 16 == 0; };
  return in_16(shape.rows) && in_16(shape.columns) && in_16(shape.terms) &&
         (d.type == CUDA_R_16BF || d.type == CUDA_R_32F);
}

// A number for what an algorithm depends on: other products have others.
std::uint64_t name_of(const Product& p, const Matrix& a, const Matrix& b, const Matrix& d) {
  std::uint64_t sum = 1469598103934665603U;
  const auto add = [&](std::uint64_t value) { sum = (sum ^ value) * 1099511628211U; };
  for (const Matrix* m : {&a, &b, &d}) {
    add(m->type);
    add(m->rows);
    add(m->columns);
  }
  add(p.as_a);
  add(p.as_b);
  add(p.epilogue);
  add(static_cast<std::uint64_t>(p.fast_accumulation));
  add(p.a_scale != nullptr ? 1 : 0);
  return sum;
}

class Values {  // of a matrix in device memory, read when the work runs
 public:
  Values(const Matrix& m, const void* data) : m_(m), data_(data) {}
  [[nodiscard]] float at(std::size_t row, std::size_t column) const {
    const std::size_t i = column * static_cast<std::size_t>(m_.ld) + row;
    if (m_.type == CUDA_R_32F) return static_cast<const float*>(data_)[i];
    if (m_.type == CUDA_R_16BF) return of_bfloat16(static_cast<const std::uint16_t*>(data_)[i]);
    return of_float8(static_cast<const std::uint8_t*>(data_)[i], m_.type == CUDA_R_8F_E5M2);
  }

 private:
  Matrix m_;
  const void* data_;
};
void put(const Matrix& m, void* data, std::size_t row, std::size_t column, float value) {
  const std::size_t i = column * static_cast<std::size_t>(m.ld) + row;
  if (m.type == CUDA_R_32F) {
    static_cast<float*>(data)[i] = value;
  } else {
    static_cast<std::uint16_t*>(data)[i] = to_bfloat16(value);
  }
}
float of_vector(const void* data, std::int32_t type, std::size_t i) {
  if (type == CUDA_R_32F) return static_cast<const float*>(data)[i];
  return of_bfloat16(static_cast<const std::uint16_t*>(data)[i]);
}

// By tanh.
constexpr float kFactor = 0.7978845608F, kCube = 0.044715F;
float gelu(float x) { return 0.5F * x * (1 + std::tanh(kFactor * (x + kCube * x * x * x))); }
float gelu_slope(float x) {
  const float t = std::tanh(kFactor * (x + kCube * x * x * x));
  return 0.5F * (1 + t) + 0.5F * x * (1 - t * t) * kFactor * (1 + 3 * kCube * x * x);
}

struct Run {
  Product p;
  Matrix a, b, d;
  Shape shape;
  float alpha, beta;
  const void *a_data, *b_data, *c_data;
  void* d_data;
  void* workspace;
  std::size_t workspace_nbytes;

  void operator()() const {
    spoil(workspace, workspace_nbytes);
    const std::vector<float> left = terms_of(a, a_data, p.as_a == CUBLAS_OP_T, shape.rows);
    const std::vector<float> right = terms_of(b, b_data, p.as_b == CUBLAS_OP_N, shape.columns);
    const float scale = p.a_scale == nullptr ? alpha : alpha * *p.a_scale * *p.b_scale;
    const Values c(d, c_data);
    if (p.epilogue == CUBLASLT_EPILOGUE_BGRADB) sum_columns(right);
    for (std::size_t column = 0; column < shape.columns; ++column) {
      for (std::size_t row = 0; row < shape.rows; ++row) {
        float sum = 0;
        for (std::size_t k = 0; k < shape.terms; ++k)
          sum += left[row * shape.terms + k] * right[column * shape.terms + k];
        sum *= scale;
        if (beta != 0) sum += beta * c.at(row, column);
        put(d, d_data, row, column, finished(sum, row, column));
      }
    }
  }

 private:
  // Written, whatever beta is.
  void sum_columns(const std::vector<float>& right) const {
    const Matrix result{d.type, shape.columns, 1, static_cast<std::int64_t>(shape.columns)};
    for (std::size_t column = 0; column < shape.columns; ++column) {
      float sum = 0;
      for (std::size_t k = 0; k < shape.terms; ++k) sum += right[column * shape.terms + k];
      put(result, const_cast<void*>(p.bias), column, 0, sum);
    }
  }
  // Returns the terms of each row (of the left) or column (of the right) side by side.
  [[nodiscard]] std::vector<float> terms_of(const Matrix& m, const void* data, bool lie_in_columns,
                                            std::size_t count) const {
    const Values values(m, data);
    std::vector<float> result(count * shape.terms);
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t k = 0; k < shape.terms; ++k)
        result[i * shape.terms + k] = lie_in_columns ? values.at(k, i) : values.at(i, k);
    }
    return result;
  }
  [[nodiscard]] float finished(float sum, std::size_t row, std::size_t column) const {
    const Matrix aux{d.type, shape.rows, shape.columns, p.aux_ld};
    if (p.epilogue == CUBLASLT_EPILOGUE_BIAS || p.epilogue == CUBLASLT_EPILOGUE_GELU_AUX_BIAS)
      sum += of_vector(p.bias, p.bias_type < 0 ? d.type : p.bias_type, row);
    if (p.epilogue == CUBLASLT_EPILOGUE_DGELU)
      return sum * gelu_slope(Values(aux, p.aux).at(row, column));
    if (p.epilogue == CUBLASLT_EPILOGUE_GELU_AUX || p.epilogue == CUBLASLT_EPILOGUE_GELU_AUX_BIAS) {
      put(aux, p.aux, row, column, sum);
      return gelu(sum);
    }
    return sum;
  }
};

}  // namespace
}  // namespace megascale::emulation

using namespace megascale::emulation;  // NOLINT: the functions below are the library's own

extern "C" {

cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
  static int library;
  if (is_refused("cublasLtCreate")) return CUBLAS_STATUS_NOT_INITIALIZED;
  *handle = reinterpret_cast<cublasLtHandle_t>(&library);
  return CUBLAS_STATUS_SUCCESS;
}
std::size_t cublasLtGetVersion() { return CUBLAS_VERSION; }
const char* cublasLtGetStatusString(cublasStatus_t status) {
  switch (status) {
    case CUBLAS_STATUS_SUCCESS:
      return "success";
    case CUBLAS_STATUS_NOT_SUPPORTED:
      return "the requested functionality is not supported";
    case CUBLAS_STATUS_INVALID_VALUE:
      return "an unsupported value or parameter was passed";
    default:
      return "the library failed";
  }
}

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* made, cublasComputeType_t compute,
                                        cudaDataType_t scale) {
  if (is_refused("cublasLtMatmulDescCreate")) return CUBLAS_STATUS_ALLOC_FAILED;
  if (compute != CUBLAS_COMPUTE_32F || scale != CUDA_R_32F) return CUBLAS_STATUS_INVALID_VALUE;
  *made = opaque_of<cublasLtMatmulDescOpaque_t>(new Product{.compute = compute});
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t product) {
  delete &of<Product>(product);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t product,
                                              cublasLtMatmulDescAttributes_t name,
                                              const void* value, std::size_t nbytes) {
  if (is_refused("cublasLtMatmulDescSetAttribute")) return CUBLAS_STATUS_INVALID_VALUE;
  Product& p = of<Product>(product);
  const auto taken = [&]() -> bool {
    switch (name) {
      case CUBLASLT_MATMUL_DESC_TRANSA:
        return take(p.as_a, value, nbytes);
      case CUBLASLT_MATMUL_DESC_TRANSB:
        return take(p.as_b, value, nbytes);
      case CUBLASLT_MATMUL_DESC_EPILOGUE:
        return take(p.epilogue, value, nbytes);
      case CUBLASLT_MATMUL_DESC_BIAS_POINTER:
        return take(p.bias, value, nbytes);
      case CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE:
        return take(p.bias_type, value, nbytes);
      case CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER:
        return take(p.aux, value, nbytes);
      case CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD:
        return take(p.aux_ld, value, nbytes);
      case CUBLASLT_MATMUL_DESC_A_SCALE_POINTER:
        return take(p.a_scale, value, nbytes);
      case CUBLASLT_MATMUL_DESC_B_SCALE_POINTER:
        return take(p.b_scale, value, nbytes);
      case CUBLASLT_MATMUL_DESC_FAST_ACCUM:
        return take(p.fast_accumulation, value, nbytes);
      default:
        return false;
    }
  }();
  return taken ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* made, cudaDataType type,
                                          std::uint64_t rows, std::uint64_t columns,
                                          std::int64_t ld) {
  if (is_refused("cublasLtMatrixLayoutCreate")) return CUBLAS_STATUS_ALLOC_FAILED;
  *made = opaque_of<cublasLtMatrixLayoutOpaque_t>(new Matrix{type, rows, columns, ld});
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t matrix) {
  delete &of<Matrix>(matrix);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* made) {
  if (is_refused("cublasLtMatmulPreferenceCreate")) return CUBLAS_STATUS_ALLOC_FAILED;
  *made = opaque_of<cublasLtMatmulPreferenceOpaque_t>(new Preference);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) {
  delete &of<Preference>(preference);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference,
                                                    cublasLtMatmulPreferenceAttributes_t name,
                                                    const void* value, std::size_t nbytes) {
  if (is_refused("cublasLtMatmulPreferenceSetAttribute")) return CUBLAS_STATUS_INVALID_VALUE;
  Preference& p = of<Preference>(preference);
  const auto taken = [&]() -> bool {
    switch (name) {
      case CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES:
        return take(p.most_workspace, value, nbytes);
      case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES:
        return take(p.a, value, nbytes);
      case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES:
        return take(p.b, value, nbytes);
      case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES:
        return take(p.c, value, nbytes);
      case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES:
        return take(p.d, value, nbytes);
      case CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK:
        return take(p.schemes, value, nbytes);
      default:
        return false;
    }
  }();
  return taken ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(
    cublasLtHandle_t handle, cublasLtMatmulDesc_t product, cublasLtMatrixLayout_t a_layout,
    cublasLtMatrixLayout_t b_layout, cublasLtMatrixLayout_t c_layout,
    cublasLtMatrixLayout_t d_layout, cublasLtMatmulPreference_t preference, int most,
    cublasLtMatmulHeuristicResult_t* results, int* count) {
  *count = 0;
  if (is_refused("cublasLtMatmulAlgoGetHeuristic")) return CUBLAS_STATUS_INTERNAL_ERROR;
  if (handle == nullptr || most < 1) return CUBLAS_STATUS_INVALID_VALUE;
  Product p = of<Product>(product);
  const Matrix a = of<Matrix>(a_layout), b = of<Matrix>(b_layout), c = of<Matrix>(c_layout),
               d = of<Matrix>(d_layout);
  const Preference wanted = of<Preference>(preference);
  Shape shape;
  if (!fits(p, a, b, c, d, shape)) return CUBLAS_STATUS_INVALID_VALUE;
  // Without factors the library proposes what cannot use any, and refuses to run it with them.
  const bool scales = p.a_scale != nullptr && p.b_scale != nullptr;
  Product asked = p;
  static const float some = 1;
  if (is_float8(a.type) && !scales) asked.a_scale = asked.b_scale = &some;
  if (!serves(asked, a, b, d, shape)) return CUBLAS_STATUS_NOT_SUPPORTED;
  const std::uint32_t needed = is_float8(a.type) ? 16 : 0;
  if (std::min({wanted.a, wanted.b, wanted.c, wanted.d}) < needed)
    return CUBLAS_STATUS_NOT_SUPPORTED;
  // As the device does, it proposes several; the second one does not support the sizes.
  const Algorithm algorithm{.product = name_of(p, a, b, d),
                            .workspace_nbytes = wanted.most_workspace,
                            .a = wanted.a,
                            .b = wanted.b,
                            .c = wanted.c,
                            .d = wanted.d,
                            .bias = relied_alignment(p.bias),
                            .aux = relied_alignment(p.aux)};
  for (int i = 0; i < std::min(most, 3); ++i) {
    cublasLtMatmulHeuristicResult_t& result = results[i];
    result = {};
    std::memcpy(&result.algo, &algorithm, sizeof algorithm);
    result.workspaceSize = algorithm.workspace_nbytes;
    result.state = i == 1 ? CUBLAS_STATUS_NOT_SUPPORTED : CUBLAS_STATUS_SUCCESS;
    ++*count;
  }
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t product,
                              const void* alpha, const void* a, cublasLtMatrixLayout_t a_layout,
                              const void* b, cublasLtMatrixLayout_t b_layout, const void* beta,
                              const void* c, cublasLtMatrixLayout_t c_layout, void* d,
                              cublasLtMatrixLayout_t d_layout, const cublasLtMatmulAlgo_t* algo,
                              void* workspace, std::size_t workspace_nbytes, cudaStream_t stream) {
  if (is_refused("cublasLtMatmul")) return CUBLAS_STATUS_EXECUTION_FAILED;
  const Product p = of<Product>(product);
  Run run{.p = p,
          .a = of<Matrix>(a_layout),
          .b = of<Matrix>(b_layout),
          .d = of<Matrix>(d_layout),
          .shape = {},
          .alpha = *static_cast<const float*>(alpha),
          .beta = *static_cast<const float*>(beta),
          .a_data = a,
          .b_data = b,
          .c_data = c,
          .d_data = d,
          .workspace = workspace,
          .workspace_nbytes = 0};
  if (handle == nullptr || algo == nullptr ||
      !fits(p, run.a, run.b, of<Matrix>(c_layout), run.d, run.shape))
    return CUBLAS_STATUS_INVALID_VALUE;
  Algorithm way{};
  std::memcpy(&way, algo, sizeof way);
  if (way.product != name_of(p, run.a, run.b, run.d)) return CUBLAS_STATUS_NOT_SUPPORTED;
  const bool has_bias = p.epilogue == CUBLASLT_EPILOGUE_BIAS ||
                        p.epilogue == CUBLASLT_EPILOGUE_GELU_AUX_BIAS ||
                        p.epilogue == CUBLASLT_EPILOGUE_BGRADB;
  const bool has_aux = p.epilogue != CUBLASLT_EPILOGUE_DEFAULT &&
                       p.epilogue != CUBLASLT_EPILOGUE_BIAS &&
                       p.epilogue != CUBLASLT_EPILOGUE_BGRADB;
  if ((has_bias && p.bias == nullptr) || (has_aux && p.aux == nullptr))
    return CUBLAS_STATUS_INVALID_VALUE;
  run.workspace_nbytes = way.workspace_nbytes;
  if (workspace_nbytes < way.workspace_nbytes ||
      (way.workspace_nbytes > 0 && (workspace == nullptr || !is_aligned(workspace, 256))))
    return CUBLAS_STATUS_INVALID_VALUE;
  const bool addresses_hold =
      is_aligned(a, way.a) && is_aligned(b, way.b) && is_aligned(c, way.c) &&
      is_aligned(d, way.d) && (!has_bias || is_aligned(p.bias, way.bias)) &&
      (!has_aux || is_aligned(p.aux, way.aux)) &&
      (p.a_scale == nullptr || (is_aligned(p.a_scale, 16) && is_aligned(p.b_scale, 16)));
  if (!addresses_hold) return CUBLAS_STATUS_INVALID_VALUE;
  // In place, the addend has the address and the layout of the result.
  if (c == d && of<Matrix>(c_layout).ld != run.d.ld) return CUBLAS_STATUS_INVALID_VALUE;
  enqueue(stream, run);
  return CUBLAS_STATUS_SUCCESS;
}

}  // extern "C"
