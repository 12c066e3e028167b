// Finds the function of an op in the lists of this folder. Aborts if there is none: table.cpp lists
// the ops of a device, and a test checks that both lists agree.
#include "megascale/kernels/cuda/functions/functions.h"
#include "megascale/kernels/cuda/functions/table.h"

namespace megascale::kernels::cuda {
namespace {

template <class Visit>
void for_each_function(const Visit& visit) {
  for (const auto& list :
       {linear_functions(), quantised_functions(), norm_functions(), elementwise_functions(),
        attention_functions(), head_exchange_functions(), loss_functions(), optimizer_functions(),
        router_functions(), expert_functions(), grouped_functions(), float8_functions()}) {
    for (const Prepare& entry : list) visit(entry);
  }
}

}  // namespace

std::unique_ptr<TaskFunction> prepare(const KernelSpec& spec) {
  std::unique_ptr<TaskFunction> made;
  for_each_function([&](const Prepare& entry) {
    if (entry.op == spec.def->name) made = entry.prepare(spec);
  });
  MEGASCALE_CHECK(made != nullptr, spec.def->name);
  return made;
}

std::vector<std::string_view> prepared_kinds() {
  std::vector<std::string_view> kinds;
  for_each_function([&](const Prepare& entry) { kinds.push_back(entry.op); });
  return kinds;
}

}  // namespace megascale::kernels::cuda
