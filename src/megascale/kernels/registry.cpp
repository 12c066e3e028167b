// Looks kernels up by op and device, and prepares them. Each area of ops (linear, norm, attention,
// ...) has a table of its own. The plain set holds only the ops that differ from the fused set, so
// a lookup in it falls back to the fused tables. An op with rows counted at run time gets a check
// of the counts around its function.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "megascale/kernels/cpu/functions/functions.h"
#include "megascale/kernels/cuda/functions/table.h"

namespace megascale::kernels {
namespace {

const Kernel* find_in(std::span<const Kernel> table, std::string_view op, Device device) {
  const auto found = std::find_if(table.begin(), table.end(), [&](const Kernel& kernel) {
    return kernel.op == op && kernel.device == device;
  });
  return found != table.end() ? &*found : nullptr;
}

// Checks the counts before each run of a kernel. Another task wrote them, and the kernel would use
// them as sizes without a check of its own.
class CheckedCounts final : public TaskFunction {
 public:
  CheckedCounts(const KernelSpec& spec, std::unique_ptr<TaskFunction> function)
      : function_(std::move(function)), op_(spec.def->name) {
    for (const RunTimeRows& rows : spec.counted) {
      const Checked checked{.rows = rows,
                            .bound = spec.tensors[rows.operand]->shape[0].size,
                            .operand = spec.def->operands[rows.operand].name};
      const bool known = std::any_of(checked_.begin(), checked_.end(),
                                     [&](const Checked& one) { return is_same(one, checked); });
      if (!known) checked_.push_back(checked);
    }
  }
  const Error* run(const TaskArguments& a) noexcept override {
    for (const Checked& checked : checked_) {
      const std::int64_t* counts =
          reinterpret_cast<const std::int64_t*>(a.operands[checked.rows.count_operand]) +
          checked.rows.first;
      std::int64_t left = checked.bound;
      for (std::uint32_t i = 0; i < checked.rows.terms; ++i) {
        if (counts[i] < 0 || counts[i] > left) return refuse(checked, counts, i);
        left -= counts[i];
      }
    }
    return function_->run(a);
  }

 private:
  struct Checked {
    RunTimeRows rows;
    std::int64_t bound = 0;
    std::string_view operand;
  };
  static bool is_same(const Checked& a, const Checked& b) {
    return a.rows.count_operand == b.rows.count_operand && a.rows.first == b.rows.first &&
           a.rows.terms == b.rows.terms && a.bound == b.bound;
  }
  const Error* refuse(const Checked& checked, const std::int64_t* counts, std::uint32_t wrong) {
    error_ =
        Error(ErrorCode::failed,
              fmt::format("{}: {} has room for {} rows, but element {} of its counts is {}; "
                          "expected counts of at least 0 with a sum of at most {}. The op that "
                          "writes the counts must keep to the bound",
                          op_, checked.operand, checked.bound, checked.rows.first + wrong,
                          counts[wrong], checked.bound));
    return &*error_;
  }

  std::unique_ptr<TaskFunction> function_;
  std::string_view op_;
  std::vector<Checked> checked_;  // each count once
  std::optional<Error> error_;
};

// Throws Error(unsupported) unless the kernel supports counted rows and, if it accepts one count only,
// all counted operands share one count and one bound.
void require_counts(const Kernel& kernel, const KernelSpec& spec) {
  const RunTimeRows& one = spec.counted.front();
  const std::string_view operand = spec.def->operands[one.operand].name;
  if (!kernel.counted_rows) {
    throw Error(ErrorCode::unsupported,
                fmt::format("{}: the rows of {} are counted at run time, but the kernel for the {} "
                            "has a fixed number of rows only",
                            kernel.op, operand, kernel.device == Device::cpu ? "CPU" : "device"));
  }
  for (const RunTimeRows& rows : spec.counted) {
    const bool same =
        kernel.several_counts ||
        (rows.count_operand == one.count_operand && rows.first == one.first &&
         rows.terms == one.terms && spec.size(rows.operand, 0) == spec.size(one.operand, 0));
    if (same) continue;
    throw Error(ErrorCode::unsupported,
                fmt::format("{}: expected one count and one bound for the rows of all operands, "
                            "found different ones for {} and {}",
                            kernel.op, operand, spec.def->operands[rows.operand].name));
  }
}

}  // namespace

std::unique_ptr<TaskFunction> prepare(const Kernel& kernel, const KernelSpec& spec) {
  if (spec.counted.empty()) return kernel.prepare(spec);
  require_counts(kernel, spec);
  std::unique_ptr<TaskFunction> function = kernel.prepare(spec);
  if (kernel.device != Device::cpu) return function;
  return std::make_unique<CheckedCounts>(spec, std::move(function));
}

const Kernel* find_kernel(std::string_view op, Device device, KernelSet set) {
  if (set == KernelSet::plain && device == Device::cpu) {
    if (const Kernel* kernel = find_in(cpu::plain_kernels(), op, device)) return kernel;
  }
  if (device == Device::cuda) return find_in(cuda::kernels(), op, device);
  for (const auto& table :
       {cpu::linear_kernels(), cpu::norm_kernels(), cpu::elementwise_kernels(),
        cpu::attention_kernels(), cpu::latent_decode_kernels(), cpu::loss_kernels(),
        cpu::optimizer_kernels(), cpu::head_exchange_kernels(), cpu::router_kernels(),
        cpu::expert_kernels(), cpu::float8_kernels(), cpu::float8_parameter_kernels()}) {
    if (const Kernel* kernel = find_in(table, op, device)) return kernel;
  }
  return nullptr;
}

}  // namespace megascale::kernels
