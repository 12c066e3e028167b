#include "megascale/kernels/cpu/gemm.h"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <oneapi/dnnl/dnnl.hpp>
#include <string_view>
#include <vector>

#include "megascale/base/error.h"
#include "megascale/kernels/cpu/team.h"

namespace megascale::kernels::cpu {
namespace {

using dnnl::memory;

// The product as oneDNN sees it: result [m, n] = left [m, k] right [k, n].
struct Shape {
  std::size_t m, n, k;
  std::size_t left_row, left_column, right_row, right_column, result_row;  // strides
  bool rows_are_inner;  // the run-time dimension is k, else m
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
    throw Error(
        ErrorCode::bad_usage,
        fmt::format("gemm: rows {}, in {}, out {}: each must be at least 1", c.rows, c.in, c.out));
  }
  const auto at_least = [](std::size_t& stride, std::size_t width, std::string_view name) {
    if (stride == 0) stride = width;
    if (stride < width) {
      throw Error(
          ErrorCode::bad_usage,
          fmt::format("gemm: {}_stride is {}, less than the {} columns", name, stride, width));
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

memory::dim dim(std::size_t value) { return static_cast<memory::dim>(value); }

memory::desc matrix(memory::dim rows, memory::dim columns, std::size_t row_stride,
                    std::size_t column_stride) {
  return {
      {rows, columns}, memory::data_type::f32, memory::dims{dim(row_stride), dim(column_stride)}};
}

struct Descs {
  memory::desc left, right, result;
};

// `rows` replaces the tokens: the actual number, or DNNL_RUNTIME_DIM_VAL.
Descs descs_of(const GemmConfig& c, memory::dim rows) {
  const Shape s = shape_of(c);
  const memory::dim m = s.rows_are_inner ? dim(s.m) : rows;
  const memory::dim k = s.rows_are_inner ? rows : dim(s.k);
  return {matrix(m, k, s.left_row, s.left_column), matrix(k, dim(s.n), s.right_row, s.right_column),
          matrix(m, dim(s.n), s.result_row, 1)};
}

const dnnl::engine& cpu_engine() {
  static const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  return engine;
}

// The rows are a run-time dimension for oneDNN even where they are fixed: it then takes gemm:jit in
// place of brgemm, and fixed and run-time rows have the same bits. Measured at 4096 rows and the
// shapes of GPT-2 124M (oneDNN 2.6.3): on one Zen 4 core 0.91 to 0.96 of the FMA peak against 0.85
// to 0.92; on two cores equal within 5 %, but 0.89 against 0.75 for the input gradient of the head
// (out = 50304), whose sum brgemm wants cut. Where other processes take the cores away, gemm:jit
// waits longer for its team (weight gradient of in = 3072: 1.3 times the time of brgemm).
dnnl::matmul::primitive_desc describe(const GemmConfig& c) {
  const Descs d = descs_of(c, DNNL_RUNTIME_DIM_VAL);
  dnnl::primitive_attr attr;
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  if (c.accumulate) {
    dnnl::post_ops sum;
    sum.append_sum(1.0F);
    attr.set_post_ops(sum);
  }
  const memory::desc bias({1, dim(c.out)}, memory::data_type::f32, memory::dims{dim(c.out), 1});
  const auto op = c.bias ? dnnl::matmul::desc(d.left, d.right, bias, d.result)
                         : dnnl::matmul::desc(d.left, d.right, d.result);
  dnnl::matmul::primitive_desc described(op, attr, cpu_engine());
  const std::string_view name = described.impl_info_str();
  if (name.starts_with("ref")) {
    throw Error(
        ErrorCode::unsupported,
        fmt::format("gemm: oneDNN has no fast implementation for rows {}, in {}, out {} ({})",
                    c.rows, c.in, c.out, name));
  }
  return described;
}

[[noreturn]] void rethrow(const dnnl::error& error, const GemmConfig& c) {
  throw Error(
      error.status == dnnl_out_of_memory ? ErrorCode::out_of_memory : ErrorCode::unsupported,
      fmt::format("gemm: oneDNN refused rows {}, in {}, out {}: {}", c.rows, c.in, c.out,
                  error.what()));
}

void check_status(dnnl_status_t status, const char* call) noexcept {
  MEGASCALE_CHECK(status == dnnl_success, call);
}

// A memory object of one run with its own number of rows.
struct RunMemory {
  dnnl_memory_t handle = nullptr;
  RunMemory(const memory::desc& desc, const float* data) noexcept {
    check_status(
        dnnl_memory_create(&handle, &desc.data, cpu_engine().get(), const_cast<float*>(data)),
        "dnnl_memory_create");
  }
  RunMemory(const RunMemory&) = delete;
  RunMemory& operator=(const RunMemory&) = delete;
  ~RunMemory() { dnnl_memory_destroy(handle); }
};

void set_handle(const memory& m, const void* data) noexcept {
  check_status(dnnl_memory_set_data_handle(m.get(), const_cast<void*>(data)),
               "dnnl_memory_set_data_handle");
}

// One product of oneDNN, ready to run.
class Product {
 public:
  explicit Product(const GemmConfig& config) : config_(config) {
    const auto described = describe(config);
    const auto none = [](const memory::desc& d) {
      return memory(d, cpu_engine(), DNNL_MEMORY_NONE);
    };
    primitive_ = dnnl::matmul(described);
    scratch_ = none(described.scratchpad_desc());
    if (config.bias) bias_ = none(described.bias_desc());
    const Descs d = descs_of(config, dim(config.rows));
    left_ = none(d.left);
    right_ = none(d.right);
    result_ = none(d.result);
  }

  void run(const GemmOperands& o) const noexcept {
    if (config_.dynamic_rows && o.rows == 0) {  // oneDNN would leave the result as it is
      if (config_.kind != GemmKind::weight_gradient || config_.accumulate) return;
      for (std::size_t r = 0; r < config_.out; ++r)
        std::memset(o.result + r * config_.w_stride, 0, config_.in * sizeof(float));
      return;
    }
    set_handle(scratch_, o.scratch);
    if (config_.bias) set_handle(bias_, o.bias);
    if (config_.dynamic_rows && o.rows != config_.rows) {
      const Descs d = descs_of(config_, dim(o.rows));
      const RunMemory left(d.left, o.left), right(d.right, o.right), result(d.result, o.result);
      execute(left.handle, right.handle, result.handle);
      return;
    }
    set_handle(left_, o.left);
    set_handle(right_, o.right);
    set_handle(result_, o.result);
    execute(left_.get(), right_.get(), result_.get());
  }

 private:
  // The C interface: dnnl.hpp would build a hash map per execution.
  void execute(dnnl_memory_t l, dnnl_memory_t r, dnnl_memory_t y) const noexcept {
    const dnnl_memory_t b = bias_.get(true);
    const std::array<dnnl_exec_arg_t, 5> args{{{DNNL_ARG_SRC, l},
                                               {DNNL_ARG_WEIGHTS, r},
                                               {DNNL_ARG_DST, y},
                                               {DNNL_ARG_SCRATCHPAD, scratch_.get()},
                                               {DNNL_ARG_BIAS, b}}};
    check_status(
        dnnl_primitive_execute(primitive_.get(), stream_.get(), b != nullptr ? 5 : 4, args.data()),
        "dnnl_primitive_execute");
  }

  GemmConfig config_;
  dnnl::stream stream_{cpu_engine()};
  dnnl::matmul primitive_;
  memory left_, right_, bias_, result_, scratch_;  // of config.rows rows, without data
};

// A part of the product that oneDNN computes by itself, and where its operands begin, in floats.
struct Share {
  GemmConfig config;
  std::size_t left = 0, right = 0, bias = 0, result = 0;
};

constexpr std::size_t kShareUnit = 64;       // borders: whole cache lines, whole blocks of oneDNN
constexpr std::size_t kSmallestShare = 256;  // below, oneDNN's own division wins

// oneDNN packs half of the right operand at once, up to 30 MB of it; of so many columns of y 13 MB.
constexpr std::size_t kWidestForward = 8192;

// How the product is cut, along one extent.
struct Cut {
  std::size_t GemmConfig::*extent = &GemmConfig::out;
  std::size_t shares = 1;
  bool one_per_thread = false;  // else one after the other, each by the whole team
};

// The two gradients are cut into one product per thread: weight gradients by rows of dW, input
// gradients by columns of dx. Measured on two Xeon cores at the shapes of GPT-2 124M: 1.07 to 1.19
// times oneDNN's own team for weight gradients, 0.98 to 1.08 for input gradients; the forward
// product gained nothing and is cut where it is too wide only (7 shares of the vocabulary's: 1.0).
Cut cut_of(const GemmConfig& c, std::size_t threads) {
  if (c.kind == GemmKind::forward) return {.shares = (c.out + kWidestForward - 1) / kWidestForward};
  Cut cut{.extent = c.kind == GemmKind::weight_gradient ? &GemmConfig::out : &GemmConfig::in,
          .shares = threads,
          .one_per_thread = threads > 1};
  if (c.*cut.extent < threads * kSmallestShare) return {};
  return cut;
}

std::vector<Share> shares_of(const GemmConfig& c, const Cut& cut) {
  const auto border = [&](std::size_t i) {
    return i == cut.shares ? c.*cut.extent
                           : c.*cut.extent * i / cut.shares / kShareUnit * kShareUnit;
  };
  std::vector<Share> shares;
  for (std::size_t i = 0; i < cut.shares; ++i) {
    Share share{c};
    share.config.*cut.extent = border(i + 1) - border(i);
    switch (c.kind) {
      case GemmKind::forward:
        share.right = border(i) * c.w_stride;
        share.bias = share.result = border(i);
        break;
      case GemmKind::weight_gradient:
        share.left = border(i);
        share.result = border(i) * c.w_stride;
        break;
      case GemmKind::input_gradient:
        share.right = share.result = border(i);
        break;
    }
    shares.push_back(share);
  }
  return shares;
}

std::size_t align_scratch(std::size_t nbytes) { return (nbytes + 63) / 64 * 64; }

std::size_t share_scratch_bytes(const Share& share) {
  return align_scratch(describe(share.config).scratchpad_desc().get_size());
}

}  // namespace

struct Gemm::Impl {
  Cut cut;
  std::vector<Share> shares;
  std::vector<std::size_t> scratch;  // where that of each share begins, bytes
  std::vector<std::unique_ptr<Product>> products;
  std::size_t threads = team_size();

  void run_share(std::size_t i, const GemmOperands& o) const noexcept {
    GemmOperands part = o;
    part.left += shares[i].left;
    part.right += shares[i].right;
    if (part.bias != nullptr) part.bias += shares[i].bias;
    part.result += shares[i].result;
    if (part.scratch != nullptr) part.scratch += scratch[i];
    products[i]->run(part);
  }
};

std::size_t gemm_scratch_bytes(const GemmConfig& config) {
  const GemmConfig c = with_strides(config);
  try {
    std::size_t nbytes = 0;
    for (const Share& share : shares_of(c, cut_of(c, team_size()))) {
      nbytes += share_scratch_bytes(share);
    }
    return nbytes;
  } catch (const dnnl::error& error) {
    rethrow(error, c);
  }
}

Gemm::Gemm(const GemmConfig& config) : config_(with_strides(config)) {
  try {
    impl_ = std::make_unique<Impl>();
    impl_->cut = cut_of(config_, impl_->threads);
    impl_->shares = shares_of(config_, impl_->cut);
    for (const Share& share : impl_->shares) {
      impl_->scratch.push_back(scratch_bytes_);
      scratch_bytes_ += share_scratch_bytes(share);
      impl_->products.push_back(std::make_unique<Product>(share.config));
    }
  } catch (const dnnl::error& error) {
    rethrow(error, config_);
  }
}

Gemm::~Gemm() = default;
Gemm::Gemm(Gemm&&) noexcept = default;
Gemm& Gemm::operator=(Gemm&&) noexcept = default;

void Gemm::run(const GemmOperands& o) const noexcept {
  MEGASCALE_CHECK(team_size() == impl_->threads,
                  "a gemm runs with the team size it was prepared for");
  MEGASCALE_CHECK(reinterpret_cast<std::uintptr_t>(o.scratch) % 64 == 0 &&
                      (o.scratch != nullptr || scratch_bytes_ == 0),
                  "a gemm needs scratch, aligned to 64 bytes");
  MEGASCALE_CHECK((o.bias != nullptr) == config_.bias,
                  "a gemm has a bias operand exactly where its configuration says so");
  MEGASCALE_CHECK(
      config_.dynamic_rows ? o.rows <= config_.rows : (o.rows == 0 || o.rows == config_.rows),
      "a gemm has at most the rows it was prepared for");
  const std::size_t shares = impl_->shares.size();
  if (!impl_->cut.one_per_thread) {
    for (std::size_t i = 0; i < shares; ++i) impl_->run_share(i, o);
    return;
  }
#pragma omp parallel for schedule(static, 1)
  for (std::size_t i = 0; i < shares; ++i) impl_->run_share(i, o);
}

}  // namespace megascale::kernels::cpu
