#include "megascale/kernels/cpu/gemm.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <oneapi/dnnl/dnnl.hpp>
#include <string_view>
#include <vector>

#ifdef _OPENMP
#include <omp.h>
#endif

#include "megascale/base/error.h"

namespace megascale::kernels::cpu {
namespace {

using dnnl::memory;

// A matrix product may be run as several primitives, one after the other, each with a part of the operands.
struct Part {
  std::size_t left = 0, right = 0, result = 0;  // offsets in floats
  std::size_t inner = 0, columns = 0;           // the part's own length of the sum and columns of the result
  bool accumulate = false;
};

// The product as oneDNN sees it: result [m, n] = left [m, k] right [k, n].
struct Shape {
  std::size_t m, n, k;
  std::size_t left_row, left_column, right_row, right_column, result_row;  // strides
  bool rows_are_inner;                                                     // the run-time dimension is k, else m
};

Shape shape_of(const GemmConfig& c) {
  switch (c.kind) {
    case GemmKind::forward:
      return {c.rows, c.out, c.in, c.x_stride, 1, 1, c.w_stride, c.y_stride, false};
    case GemmKind::input_gradient:
      return {c.rows, c.in, c.out, c.y_stride, 1, c.w_stride, 1, c.x_stride, false};
    case GemmKind::weight_gradient:
      break;
  }
  return {c.out, c.in, c.rows, 1, c.y_stride, c.x_stride, 1, c.w_stride, true};
}

GemmConfig with_strides(GemmConfig c) {
  if (c.rows == 0 || c.in == 0 || c.out == 0) {
    throw Error(ErrorCode::bad_usage, fmt::format("gemm: rows {}, in {}, out {}: each must be at least 1", c.rows, c.in, c.out));
  }
  const auto at_least = [](std::size_t& stride, std::size_t width, std::string_view name) {
    if (stride == 0) stride = width;
    if (stride < width) {
      throw Error(ErrorCode::bad_usage, fmt::format("gemm: {}_stride is {}, less than the {} columns", name, stride, width));
    }
  };
  at_least(c.x_stride, c.in, "x");
  at_least(c.y_stride, c.out, "y");
  at_least(c.w_stride, c.in, "w");
  if (c.bias && c.kind != GemmKind::forward) {
    throw Error(ErrorCode::bad_usage, "gemm: a bias belongs to the forward product only");
  }
  return c;
}

// A long sum (the gradient of a vocabulary head) is cut: oneDNN 2.6 walks the whole of it for every block of the
// result, out of cache. Measured at 4096 x 768 x 50304 on two Zen 4 cores: 173 GFLOP/s whole, 210 in pieces of 12,576.
constexpr std::size_t kInnerMost = 16'384;
constexpr std::size_t kInnerPart = 12'800;

std::vector<Part> parts_of(const GemmConfig& c) {
  const Shape s = shape_of(c);
  if (c.kind != GemmKind::input_gradient || s.k <= kInnerMost) return {{0, 0, 0, s.k, s.n, c.accumulate}};
  const std::size_t count = (s.k + kInnerPart - 1) / kInnerPart;
  const std::size_t length = ((s.k + count - 1) / count + 15) / 16 * 16;
  std::vector<Part> parts;
  for (std::size_t k = 0; k < s.k; k += length) {
    parts.push_back({k * s.left_column, k * s.right_row, 0, std::min(length, s.k - k), s.n, c.accumulate || k > 0});
  }
  return parts;
}

memory::dim dim(std::size_t value) { return static_cast<memory::dim>(value); }

memory::desc matrix(memory::dim rows, memory::dim columns, std::size_t row_stride, std::size_t column_stride) {
  return {{rows, columns}, memory::data_type::f32, memory::dims{dim(row_stride), dim(column_stride)}};
}

struct Descs {
  memory::desc left, right, result;
};

// `rows` replaces the tokens: the actual number, or DNNL_RUNTIME_DIM_VAL.
Descs descs_of(const Shape& s, const Part& part, memory::dim rows) {
  const memory::dim m = s.rows_are_inner ? dim(s.m) : rows;
  const memory::dim k = s.rows_are_inner ? rows : dim(part.inner);
  return {matrix(m, k, s.left_row, s.left_column), matrix(k, dim(part.columns), s.right_row, s.right_column),
          matrix(m, dim(part.columns), s.result_row, 1)};
}

const dnnl::engine& cpu_engine() {
  static const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  return engine;
}

dnnl::matmul::primitive_desc describe(const GemmConfig& c, const Part& part) {
  const Descs d = descs_of(shape_of(c), part, c.dynamic_rows ? DNNL_RUNTIME_DIM_VAL : dim(c.rows));
  dnnl::primitive_attr attr;
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  if (part.accumulate) {
    dnnl::post_ops sum;
    sum.append_sum(1.0F);
    attr.set_post_ops(sum);
  }
  const memory::desc bias({1, dim(part.columns)}, memory::data_type::f32, memory::dims{dim(part.columns), 1});
  const auto op = c.bias ? dnnl::matmul::desc(d.left, d.right, bias, d.result) : dnnl::matmul::desc(d.left, d.right, d.result);
  dnnl::matmul::primitive_desc described(op, attr, cpu_engine());
  const std::string_view name = described.impl_info_str();
  if (name.starts_with("ref")) {
    throw Error(ErrorCode::unsupported, fmt::format("gemm: oneDNN has no fast implementation for rows {}, in {}, out {} ({})",
                                                    c.rows, c.in, c.out, name));
  }
  return described;
}

[[noreturn]] void rethrow(const dnnl::error& error, const GemmConfig& c) {
  throw Error(error.status == dnnl_out_of_memory ? ErrorCode::out_of_memory : ErrorCode::unsupported,
              fmt::format("gemm: oneDNN refused rows {}, in {}, out {}: {}", c.rows, c.in, c.out, error.what()));
}

int team_size() noexcept {
#ifdef _OPENMP
  return omp_get_max_threads();
#else
  return 1;
#endif
}

void check_status(dnnl_status_t status, const char* call) noexcept {
  MEGASCALE_CHECK(status == dnnl_success, call);
}

// A memory object of one run with its own number of rows.
struct RunMemory {
  dnnl_memory_t handle = nullptr;
  RunMemory(const memory::desc& desc, const float* data) {
    check_status(dnnl_memory_create(&handle, &desc.data, cpu_engine().get(), const_cast<float*>(data)), "dnnl_memory_create");
  }
  RunMemory(const RunMemory&) = delete;
  RunMemory& operator=(const RunMemory&) = delete;
  ~RunMemory() { dnnl_memory_destroy(handle); }
};

}  // namespace

// The C interface in run(): dnnl.hpp would build a hash map per execution.
struct Gemm::Impl {
  struct Step {
    Part part;
    dnnl::matmul primitive;
    memory left, right, bias, result, scratch;
  };
  dnnl::stream stream{cpu_engine()};
  std::vector<Step> steps;
  int threads = team_size();

  Step build(const GemmConfig& c, const Part& part) const {
    const auto described = describe(c, part);
    const auto none = [](const memory::desc& d) { return memory(d, cpu_engine(), DNNL_MEMORY_NONE); };
    Step step{.part = part, .primitive = dnnl::matmul(described), .left = {}, .right = {}, .bias = {}, .result = {},
              .scratch = none(described.scratchpad_desc())};
    if (c.bias) step.bias = none(described.bias_desc());
    const Descs d = descs_of(shape_of(c), part, dim(c.rows));
    step.left = none(d.left);
    step.right = none(d.right);
    step.result = none(d.result);
    return step;
  }

  void execute(const Step& step, dnnl_memory_t left, dnnl_memory_t right, dnnl_memory_t result) const noexcept {
    std::array<dnnl_exec_arg_t, 5> args{{{DNNL_ARG_SRC, left},
                                         {DNNL_ARG_WEIGHTS, right},
                                         {DNNL_ARG_DST, result},
                                         {DNNL_ARG_SCRATCHPAD, step.scratch.get()},
                                         {DNNL_ARG_BIAS, step.bias.get(true)}}};
    const int count = step.bias.get(true) != nullptr ? 5 : 4;
    check_status(dnnl_primitive_execute(step.primitive.get(), stream.get(), count, args.data()), "dnnl_primitive_execute");
  }
};

namespace {

std::size_t scratch_of(const GemmConfig& c) {
  std::size_t bytes = 0;
  for (const Part& part : parts_of(c)) bytes = std::max(bytes, describe(c, part).scratchpad_desc().get_size());
  return bytes;
}

void set_handle(const memory& m, const void* data) noexcept {
  check_status(dnnl_memory_set_data_handle(m.get(), const_cast<void*>(data)), "dnnl_memory_set_data_handle");
}

}  // namespace

std::size_t gemm_scratch_bytes(const GemmConfig& config) {
  const GemmConfig c = with_strides(config);
  try {
    return scratch_of(c);
  } catch (const dnnl::error& error) {
    rethrow(error, c);
  }
}

Gemm::Gemm(const GemmConfig& config) : config_(with_strides(config)) {
  try {
    scratch_bytes_ = scratch_of(config_);
    impl_ = std::make_unique<Impl>();
    for (const Part& part : parts_of(config_)) impl_->steps.push_back(impl_->build(config_, part));
  } catch (const dnnl::error& error) {
    rethrow(error, config_);
  }
}

Gemm::~Gemm() = default;
Gemm::Gemm(Gemm&&) noexcept = default;
Gemm& Gemm::operator=(Gemm&&) noexcept = default;

void Gemm::run(const GemmOperands& o) const noexcept {
  MEGASCALE_CHECK(team_size() == impl_->threads, "a gemm runs with the team size it was prepared for");
  MEGASCALE_CHECK(reinterpret_cast<std::uintptr_t>(o.scratch) % 64 == 0 && (o.scratch != nullptr || scratch_bytes_ == 0),
                  "a gemm needs scratch, aligned to 64 bytes");
  MEGASCALE_CHECK((o.bias != nullptr) == config_.bias, "a gemm has a bias operand exactly where its configuration says so");
  MEGASCALE_CHECK(config_.dynamic_rows ? o.rows <= config_.rows : (o.rows == 0 || o.rows == config_.rows),
                  "a gemm has at most the rows it was prepared for");
  const Shape shape = shape_of(config_);
  if (config_.dynamic_rows && o.rows == 0) {  // oneDNN would leave the result as it is
    if (config_.kind != GemmKind::weight_gradient || config_.accumulate) return;
    for (std::size_t r = 0; r < config_.out; ++r) std::memset(o.result + r * config_.w_stride, 0, config_.in * sizeof(float));
    return;
  }
  for (const Impl::Step& step : impl_->steps) {
    const float *left = o.left + step.part.left, *right = o.right + step.part.right;
    float* result = o.result + step.part.result;
    set_handle(step.scratch, o.scratch);
    if (config_.bias) set_handle(step.bias, o.bias);
    if (config_.dynamic_rows) {
      const Descs d = descs_of(shape, step.part, dim(o.rows));
      const RunMemory l(d.left, left), r(d.right, right), y(d.result, result);
      impl_->execute(step, l.handle, r.handle, y.handle);
      continue;
    }
    set_handle(step.left, left);
    set_handle(step.right, right);
    set_handle(step.result, result);
    impl_->execute(step, step.left.get(), step.right.get(), step.result.get());
  }
}

}  // namespace megascale::kernels::cpu
