// A round is a small layer, forward and backward: the three matrix products, attention, LayerNorm,
// GELU and AdamW. Each result is an input of a later kernel and is digested, so one wrong bit
// anywhere changes the digest.
#include "megascale/diagnose/compute_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <thread>

#include "megascale/base/clock.h"
#include "megascale/base/core_binding.h"
#include "megascale/base/digest.h"
#include "megascale/base/error.h"
#include "megascale/base/philox.h"
#include "megascale/diagnose/system_files.h"
#include "megascale/kernels/cpu/activation.h"
#include "megascale/kernels/cpu/attention.h"
#include "megascale/kernels/cpu/gemm.h"
#include "megascale/kernels/cpu/norm.h"
#include "megascale/kernels/cpu/optimizer.h"
#include "megascale/kernels/cpu/peak.h"
#include "megascale/kernels/cpu/team.h"

namespace megascale::diagnose {
namespace {

namespace cpu = kernels::cpu;

// A layer of 4 heads of 64 features, on 256 tokens: its operands fit into the caches of a core.
constexpr std::size_t kTokens = 256, kWidth = 256, kHeads = 4, kHeadSize = 64, kWide = 3 * kWidth;
constexpr double kProductFlops = 3 * 2.0 * kTokens * kWidth * kWide;

// Floats that start as normal numbers of a fixed seed.
class Values {
 public:
  Values(std::size_t count, std::string_view purpose, double scale = 1)
      : count_(count),
        data_(static_cast<float*>(::operator new(count * sizeof(float), kAlignment))) {
    PhiloxStream(kSeed, purpose).fill_normal({data_.get(), count}, 0, 0, scale);
  }
  [[nodiscard]] float* get() const noexcept { return data_.get(); }
  void add_to(DigestStream& digest) const {
    digest.update(std::as_bytes(std::span<const float>(data_.get(), count_)));
  }

 private:
  static constexpr std::uint64_t kSeed = 22;
  static constexpr std::align_val_t kAlignment{4096};
  struct Deleter {
    void operator()(float* data) const noexcept { ::operator delete(data, kAlignment); }
  };
  std::size_t count_;
  std::unique_ptr<float[], Deleter> data_;
};

// The three products of a linear layer, x W^T and its gradients.
class Products {
 public:
  Products() {
    for (const auto kind :
         {cpu::GemmKind::forward, cpu::GemmKind::input_gradient, cpu::GemmKind::weight_gradient}) {
      products_.emplace_back(
          cpu::GemmConfig{.kind = kind, .rows = kTokens, .in = kWidth, .out = kWide, .threads = 1});
    }
    std::size_t nbytes = 0;
    for (const cpu::Gemm& product : products_) nbytes = std::max(nbytes, product.scratch_bytes());
    scratch_.emplace(nbytes / sizeof(float) + 1, "scratch");
  }
  void run(std::size_t kind, const float* left, const float* right, float* result) const noexcept {
    products_[kind].run({.left = left,
                         .right = right,
                         .result = result,
                         .scratch = reinterpret_cast<std::byte*>(scratch_->get())});
  }

 private:
  std::vector<cpu::Gemm> products_;
  std::optional<Values> scratch_;
};

cpu::TokenRows<float> rows_of(float* data, std::size_t stride) {
  return {.data = data, .row_stride = stride, .batch_stride = kTokens * stride};
}
cpu::TokenRows<const float> const_rows_of(const float* data, std::size_t stride) {
  return {.data = data, .row_stride = stride, .batch_stride = kTokens * stride};
}

// Runs attention forward and backward over the packed queries, keys and values; the gradients
// replace `gradient`, which has the same layout.
void attend(const Values& packed, const Values& out, const Values& out_gradient,
            const Values& gradient, DigestStream& digest) {
  const cpu::AttentionConfig config{.query_heads = kHeads,
                                    .kv_heads = kHeads,
                                    .head_size = kHeadSize,
                                    .max_queries = kTokens,
                                    .max_keys = kTokens};
  cpu::check_attention(config);
  const Values lse(kHeads * kTokens, "lse");
  const std::size_t nbytes = std::max(cpu::attention_forward_scratch_bytes(config),
                                      cpu::attention_backward_scratch_bytes(config));
  const Values scratch(nbytes / sizeof(float) + 1, "attention scratch");
  auto* const work = reinterpret_cast<std::byte*>(scratch.get());
  const cpu::AttentionInputs in{.query_count = kTokens,
                                .key_count = kTokens,
                                .q = const_rows_of(packed.get(), kWide),
                                .k = const_rows_of(packed.get() + kWidth, kWide),
                                .v = const_rows_of(packed.get() + 2 * kWidth, kWide)};
  cpu::attention_forward(
      config, {.in = in, .o = rows_of(out.get(), kWidth), .lse = lse.get(), .scratch = work});
  cpu::attention_backward(config, {.in = in,
                                   .o = const_rows_of(out.get(), kWidth),
                                   .grad_o = const_rows_of(out_gradient.get(), kWidth),
                                   .lse = lse.get(),
                                   .dq = rows_of(gradient.get(), kWide),
                                   .dk = rows_of(gradient.get() + kWidth, kWide),
                                   .dv = rows_of(gradient.get() + 2 * kWidth, kWide),
                                   .scratch = work});
  for (const Values* values : {&out, &lse, &gradient}) values->add_to(digest);
}

// Normalizes x, and computes the gradients for the gradient dy of the result.
void normalize(const Values& x, const Values& y, const Values& dy, const Values& dx,
               DigestStream& digest) {
  const Values gamma(kWidth, "gamma"), beta(kWidth, "beta"), mean(kTokens, "mean"),
      rstd(kTokens, "rstd"), dgamma(kWidth, "dgamma"), dbeta(kWidth, "dbeta");
  cpu::layer_norm_forward({.tokens = kTokens,
                           .channels = kWidth,
                           .x = x.get(),
                           .gamma = gamma.get(),
                           .beta = beta.get(),
                           .y = y.get(),
                           .mean = mean.get(),
                           .rstd = rstd.get()});
  const Values scratch(cpu::norm_backward_scratch_bytes(kTokens, kWidth) / sizeof(float) + 1,
                       "norm scratch");
  cpu::layer_norm_backward({.tokens = kTokens,
                            .channels = kWidth,
                            .dy = dy.get(),
                            .x = x.get(),
                            .gamma = gamma.get(),
                            .mean = mean.get(),
                            .rstd = rstd.get(),
                            .dx = dx.get(),
                            .dgamma = dgamma.get(),
                            .dbeta = dbeta.get(),
                            .scratch = scratch.get()});
  for (const Values* values : {&y, &dx, &dgamma, &dbeta}) values->add_to(digest);
}

// One round on the calling thread. Adds the FLOP/s of the matrix products to `flops`, if higher.
std::string compute_round(const Products& products, double& flops) {
  DigestStream digest;
  const Values x(kTokens * kWidth, "x"), weight(kWide * kWidth, "weight", 0.05),
      packed(kTokens * kWide, "packed"), out(kTokens * kWidth, "out"),
      out_gradient(kTokens * kWidth, "out gradient"), gradient(kTokens * kWide, "gradient"),
      x_gradient(kTokens * kWidth, "x gradient"),
      weight_gradient(kWide * kWidth, "weight gradient"), normal(kTokens * kWidth, "normal"),
      m(kWide * kWidth, "m", 0), v(kWide * kWidth, "v", 0);
  normalize(x, normal, out_gradient, x_gradient, digest);
  std::int64_t products_ns = monotonic_ns();
  products.run(0, normal.get(), weight.get(), packed.get());
  products_ns = monotonic_ns() - products_ns;
  packed.add_to(digest);
  attend(packed, out, out_gradient, gradient, digest);
  cpu::gelu_forward({.tokens = kTokens, .channels = kWidth, .x = out.get(), .y = out.get()});
  cpu::gelu_backward({.tokens = kTokens,
                      .channels = kWide,
                      .dy = gradient.get(),
                      .x = packed.get(),
                      .dx = gradient.get()});
  const std::int64_t begin_ns = monotonic_ns();
  products.run(1, gradient.get(), weight.get(), x_gradient.get());
  products.run(2, gradient.get(), normal.get(), weight_gradient.get());
  products_ns += monotonic_ns() - begin_ns;
  const cpu::OptimizerSegment all{.begin = 0, .count = kWide * kWidth};
  cpu::adamw({.param = weight.get(),
              .gradient = weight_gradient.get(),
              .m = m.get(),
              .v = v.get(),
              .segments = {&all, 1}},
             {.lr = 1e-3, .weight_decay = 0.1});
  for (const Values* values : {&out, &gradient, &x_gradient, &weight_gradient, &weight, &m, &v})
    values->add_to(digest);
  flops = std::max(
      flops, kProductFlops / (static_cast<double>(std::max<std::int64_t>(products_ns, 1)) * 1e-9));
  return digest.finish();
}

// Returns the element that most of `digests` equal; of equally many, the one that comes first.
std::string most_common(std::span<const CoreResult> results) {
  std::map<std::string, std::size_t> counts;
  std::size_t most = 0;
  for (const CoreResult& result : results)
    for (const std::string& digest : result.digests) most = std::max(most, ++counts[digest]);
  for (const CoreResult& result : results)
    for (const std::string& digest : result.digests)
      if (counts[digest] == most) return digest;
  return {};
}

}  // namespace

std::string compute_kind() {
  std::string model = value_of_key("/proc/cpuinfo", "model name");
  if (model.empty()) model = value_of_key("/proc/cpuinfo", "CPU part");
  if (model.empty()) model = "unknown model";
  return fmt::format("{}, {}", cpu::vector_target(), model);
}

std::vector<CoreResult> compute_on_cores(std::span<const int> cores, int rounds) {
  std::vector<CoreResult> results(cores.size());
  std::vector<std::optional<Error>> errors(cores.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < cores.size(); ++i) {
    threads.emplace_back([&, i] {
      try {
        const CoreBinding binding({cores[i]});
        const cpu::TeamSize team(1);
        results[i].core = cores[i];
        const Products products;
        for (int round = 0; round < rounds; ++round)
          results[i].digests.push_back(compute_round(products, results[i].flops));
      } catch (const Error& error) {
        errors[i] = error;
      } catch (const std::bad_alloc&) {
        errors[i] = Error(ErrorCode::out_of_memory, "no memory for the compute test");
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& error : errors)
    if (error) throw Error(*error);
  return results;
}

void judge_cores(std::span<const CoreResult> results, CheckReport& report, std::string& digest) {
  digest = most_common(results);
  std::vector<int> wrong;
  const CoreResult* slowest = &results.front();
  for (const CoreResult& result : results) {
    if (std::any_of(result.digests.begin(), result.digests.end(),
                    [&](const std::string& one) { return one != digest; }))
      wrong.push_back(result.core);
    if (result.flops < slowest->flops) slowest = &result;
  }
  report.text = fmt::format("{} cores, digest {}, slowest core {}: {:.1f} GFLOP/s", results.size(),
                            digest.substr(0, 8), slowest->core, slowest->flops * 1e-9);
  report.rates = {{"compute.cores", static_cast<double>(results.size()), "cores", 1},
                  {"compute.slowest_core", slowest->flops * 1e-9, "GFLOP/s"}};
  if (!wrong.empty()) {
    report.fail(fmt::format(
        "{} {} computed other bits than most cores, from the same values: expected equal digests; "
        "take this processor out of use",
        wrong.size() == 1 ? "core" : "cores", fmt::join(wrong, ", ")));
  }
}

}  // namespace megascale::diagnose
