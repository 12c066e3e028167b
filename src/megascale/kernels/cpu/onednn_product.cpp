// Matrix products by oneDNN's matmul. A product is one primitive, or several over parts of one
// extent: the gradients are cut into one part per thread, which measured faster, and wide forward
// products are cut to bound the memory of oneDNN's packing buffers. Primitives are built when the
// plan is bound. A run only sets addresses and executes, through the C interface, which costs less
// per call.
#include "megascale/kernels/cpu/onednn_product.h"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <oneapi/dnnl/dnnl.hpp>
#include <string_view>
#include <vector>

#include "megascale/base/error.h"
#include "megascale/kernels/cpu/gemm_config.h"
#include "megascale/kernels/cpu/team.h"

namespace megascale::kernels::cpu {
namespace {

using dnnl::memory;

memory::dim dim(std::size_t value) { return static_cast<memory::dim>(value); }

memory::desc matrix(memory::dim rows, memory::dim columns, std::size_t row_stride,
                    std::size_t column_stride) {
  return {
      {rows, columns}, memory::data_type::f32, memory::dims{dim(row_stride), dim(column_stride)}};
}

struct Descs {
  memory::desc left, right, result;
};

// Describes the operands of a product with `rows` tokens: an actual number, or
// DNNL_RUNTIME_DIM_VAL.
Descs descs_of(const GemmConfig& c, memory::dim rows) {
  const ProductShape s = shape_of(c);
  const bool rows_are_inner = c.kind == GemmKind::weight_gradient;
  const memory::dim m = rows_are_inner ? dim(s.m) : rows;
  const memory::dim k = rows_are_inner ? rows : dim(s.k);
  return {matrix(m, k, s.left_row, s.left_column), matrix(k, dim(s.n), s.right_row, s.right_column),
          matrix(m, dim(s.n), s.result_row, 1)};
}

const dnnl::engine& cpu_engine() {
  static const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  return engine;
}

// Describes the matmul with the rows as a run-time dimension, even if they are fixed. oneDNN then
// chooses its implementation gemm:jit instead of brgemm, and fixed and run-time rows have the same
// bits.
//
// Measured at 4096 rows and the shapes of GPT-2 124M (oneDNN 2.6.3). One Zen 4 core: gemm:jit
// reaches 0.91 to 0.96 of the FMA peak, brgemm 0.85 to 0.92. Two cores: equal within 5 %, except
// the input gradient of the head (out = 50304), 0.89 against 0.75, since brgemm needs that long sum
// to be cut. If other processes occupy the cores, gemm:jit waits longer for its team (weight
// gradient of in = 3072: 1.3 times the time of brgemm).
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
  const std::string_view implementation = described.impl_info_str();
  if (implementation.starts_with("ref")) {
    throw Error(
        ErrorCode::unsupported,
        fmt::format("gemm: oneDNN has no fast implementation for rows {}, in {}, out {} ({})",
                    c.rows, c.in, c.out, implementation));
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

// NOLINTBEGIN(bugprone-exception-escape,openmp-exception-escape): the constructor asked oneDNN for
// all that a product needs; an error in a run means a broken process.

// A memory object of one run, for a run with fewer rows than config.rows.
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

// One primitive of oneDNN with its memory objects, ready to run.
class Primitive {
 public:
  explicit Primitive(const GemmConfig& config) : config_(config) {
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
  // Uses the C interface, since dnnl.hpp would build a hash map in each execution.
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
  memory left_, right_, bias_, result_, scratch_;  // config.rows rows; a run sets the data
};

// A part of the product that one primitive computes, and the offsets of its operands in floats.
struct Share {
  GemmConfig config;
  std::size_t left = 0, right = 0, bias = 0, result = 0;
};

constexpr std::size_t kShareUnit = 64;       // borders of parts: cache lines, blocks of oneDNN
constexpr std::size_t kSmallestShare = 256;  // with smaller parts oneDNN's own division is faster

// The most columns of y in one forward primitive. oneDNN packs half of the right operand at once,
// up to 30 MB; for this many columns it packs 13 MB.
constexpr std::size_t kWidestForward = 8192;

// How the product is cut into parts, along one extent.
struct Cut {
  std::size_t GemmConfig::*extent = &GemmConfig::out;
  std::size_t shares = 1;
  bool one_per_thread = false;  // false: in sequence, each by the whole team
};

// Cuts the two gradients into one product per thread: weight gradients by rows of dW, input
// gradients by columns of dx. Measured on two Xeon cores (Sapphire Rapids) at the shapes of GPT-2
// 124M, the speed relative to one product that oneDNN divides over its own team: weight gradients
// 1.07 to 1.19, input gradients 0.98 to 1.08. The forward product gained nothing. It is cut only if
// it is wider than kWidestForward, to bound its memory; 7 parts for the vocabulary have speed 1.0.
Cut cut_of(const GemmConfig& c, std::size_t threads) {
  if (c.kind == GemmKind::forward) return {.shares = (c.out + kWidestForward - 1) / kWidestForward};
  Cut cut{.extent = c.kind == GemmKind::weight_gradient ? &GemmConfig::out : &GemmConfig::in,
          .shares = threads,
          .one_per_thread = threads > 1};
  if (c.*cut.extent < threads * kSmallestShare) return {};
  return cut;
}

// Returns the parts. Their borders are multiples of kShareUnit, except the last.
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

struct OnednnProduct::Impl {
  Cut cut;
  std::vector<Share> shares;
  std::vector<std::size_t> scratch;  // offset of each part's scratch, bytes
  std::vector<std::unique_ptr<Primitive>> primitives;

  explicit Impl(const GemmConfig& config)
      : cut(cut_of(config, config.threads)), shares(shares_of(config, cut)) {
    const TeamSize team(config.threads);
    std::size_t begin = 0;
    for (const Share& share : shares) {
      scratch.push_back(begin);
      begin += share_scratch_bytes(share);
      primitives.push_back(std::make_unique<Primitive>(share.config));
    }
  }

  void run_share(std::size_t i, const GemmOperands& o) const noexcept {
    GemmOperands part = o;
    part.left += shares[i].left;
    part.right += shares[i].right;
    if (part.bias != nullptr) part.bias += shares[i].bias;
    part.result += shares[i].result;
    if (part.scratch != nullptr) part.scratch += scratch[i];
    primitives[i]->run(part);
  }
};

OnednnProduct::OnednnProduct(const GemmConfig& config) {
  try {
    impl_ = std::make_unique<Impl>(config);
  } catch (const dnnl::error& error) {
    rethrow(error, config);
  }
}

OnednnProduct::~OnednnProduct() = default;
OnednnProduct::OnednnProduct(OnednnProduct&&) noexcept = default;
OnednnProduct& OnednnProduct::operator=(OnednnProduct&&) noexcept = default;

std::size_t OnednnProduct::scratch_bytes(const GemmConfig& config) {
  try {
    // oneDNN reads the number of threads from OpenMP when it describes a product.
    const TeamSize team(config.threads);
    std::size_t nbytes = 0;
    for (const Share& share : shares_of(config, cut_of(config, config.threads)))
      nbytes += share_scratch_bytes(share);
    return nbytes;
  } catch (const dnnl::error& error) {
    rethrow(error, config);
  }
}

void OnednnProduct::run(const GemmOperands& o) const noexcept {
  const std::size_t shares = impl_->shares.size();
  if (!impl_->cut.one_per_thread) {
    for (std::size_t i = 0; i < shares; ++i) impl_->run_share(i, o);
    return;
  }
#pragma omp parallel for schedule(static, 1) default(none) shared(shares, o)
  for (std::size_t i = 0; i < shares; ++i) impl_->run_share(i, o);
}
// NOLINTEND(bugprone-exception-escape,openmp-exception-escape)

}  // namespace megascale::kernels::cpu
