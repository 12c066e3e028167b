#include <fmt/format.h>

#include "megascale/kernels/cuda/functions/functions.h"
#include "megascale/kernels/cuda/functions/table.h"

namespace megascale::kernels::cuda {
namespace {

template <class Visit>
void for_each_function(const Visit& visit) {
  for (const auto& list :
       {linear_functions(), norm_functions(), elementwise_functions(), attention_functions(),
        head_exchange_functions(), loss_functions(), optimizer_functions()}) {
    for (const Prepare& entry : list) visit(entry);
  }
}

// Extents that are known at run time only would have to be read by the host, which then waits for
// the device.
void require_constant_rows(const KernelSpec& spec) {
  if (spec.counted.empty()) return;
  throw Error(ErrorCode::unsupported,
              fmt::format("{}: the number of rows is known at run time only; such plans (decoding) "
                          "run on the CPU",
                          spec.def->name));
}

}  // namespace

std::unique_ptr<TaskFunction> prepare(const KernelSpec& spec) {
  require_constant_rows(spec);
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
