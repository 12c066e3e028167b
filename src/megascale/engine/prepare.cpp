// Turns the ops of a plan into task functions before the first step. A plan has many ops that
// differ only in their addresses, such as those of equal layers. Addresses are arguments of a run,
// so equal ops share one prepared kernel; a text key made of kind, attributes, sizes and shapes
// finds it.
#include "megascale/engine/prepare.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include <set>

#include "megascale/base/error.h"
#include "megascale/job/kernel_spec.h"

namespace megascale::engine {
namespace {

// Returns the key of an op. Ops with equal keys can share one prepared kernel.
std::string kernel_key(const plan::PlanOp& op) {
  std::string key(op.def->name);
  for (const auto& [name, value] : op.attributes.values()) {
    std::visit([&, &n = name](const auto& v) { key += fmt::format(" {}={}", n, v); }, value);
  }
  for (std::size_t i = 0; i < op.operands.size(); ++i) {
    key += fmt::format(" {}", op.operands[i].buffer == plan::kNoBuffer ? 0 : op.operands[i].nbytes);
    if (i < op.tensors.size() && op.tensors[i]) {
      key += graph::to_string(op.tensors[i]->shape) + std::string(to_string(op.tensors[i]->dtype));
    }
  }
  for (const auto& e : op.extents)
    key +=
        fmt::format(" rows {} {} {} {} {}", e.operand, e.axis, e.count_operand, e.first, e.terms);
  for (const auto& s : op.segments)
    key += fmt::format(" {}:{}:{}:{}:{}", s.begin, s.count, s.parameter, s.decay,
                       s.replicated_over.bits());
  return key;
}

void require_executable_dtypes(const plan::StepPlan& plan, kernels::Device device) {
  const graph::Tensor* tensor = job::find_unsupported_dtype(plan, device);
  if (tensor == nullptr) return;
  throw Error(ErrorCode::unsupported,
              fmt::format("tensor {} is {}, the CPU executes float32 only (model.dtype); "
                          "`megascale plan` sizes such a model",
                          tensor->name, to_string(tensor->dtype)));
}

}  // namespace

void set_threads(std::size_t threads) noexcept {
#ifdef _OPENMP
  omp_set_dynamic(0);
  omp_set_num_threads(static_cast<int>(threads));
#else
  (void)threads;
#endif
}

PreparedKernels::PreparedKernels(const plan::StepPlan& plan, const graph::Coordinates& coordinates,
                                 const job::KernelChoice& choice,
                                 const std::map<std::string, TaskFunction*>& own) {
  require_executable_dtypes(plan, choice.device);
  std::map<std::string, TaskFunction*> by_key;
  std::set<std::string> missing;
  for (const plan::PlanOp& op : plan.ops()) {
    functions_.push_back(nullptr);
    if (op.def->transfer) continue;
    if (const auto mine = own.find(std::string(op.def->name)); mine != own.end()) {
      functions_.back() = mine->second;
      continue;
    }
    const kernels::Kernel* kernel = kernels::find_kernel(op.def->name, choice.device, choice.set);
    if (kernel == nullptr) {
      missing.emplace(op.def->name);
      continue;
    }
    if (!missing.empty()) continue;  // the plan is refused, with all of these kinds
    TaskFunction*& shared = by_key[kernel_key(op)];
    if (shared == nullptr) {
      owned_.push_back(
          kernels::prepare(*kernel, job::KernelSpecOf(op, plan.axes(), coordinates, choice).get()));
      shared = owned_.back().get();
    }
    functions_.back() = shared;
  }
  if (!missing.empty()) throw Error(ErrorCode::unsupported, job::no_kernels_message(missing));
}

}  // namespace megascale::engine
