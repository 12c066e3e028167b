#include <array>

#include "megascale/kernels/cuda/cross_entropy.h"
#include "megascale/kernels/cuda/functions/functions.h"

namespace megascale::kernels::cuda {
namespace {

LogitRows logit_rows(const KernelSpec& spec) {
  return {.tokens = spec.size(0, 0),
          .columns = spec.size(0, 1),
          .dtype = dtype_of(spec, 0),
          .vocab_start = tensor_coordinate(spec) * spec.size(0, 1),
          .valid_vocab = static_cast<std::size_t>(spec.attribute("valid_vocabulary"))};
}

std::unique_ptr<TaskFunction> prepare_stats(const KernelSpec& spec) {
  return function([rows = logit_rows(spec)](const TaskArguments& a) {
    LogitRows bound = rows;
    bound.logits = raw(a, 0);
    bound.target = i32(a, 1);
    logit_stats(bound, f32(a, 2), a.stream);
  });
}

std::unique_ptr<TaskFunction> prepare_loss(const KernelSpec& spec) {
  const std::size_t ranks = spec.size(1, 0) / spec.size(0, 0);
  return function([rows = logit_rows(spec), ranks](const TaskArguments& a) {
    CrossEntropy bound{.rows = rows,
                       .stats = f32(a, 1),
                       .ranks = ranks,
                       .loss = reinterpret_cast<float*>(scratch(a)),
                       .dlogits = raw(a, 3),
                       .result = as<double>(a, 4)};
    bound.rows.logits = raw(a, 0);
    bound.rows.target = i32(a, 2);
    cross_entropy(bound, a.stream);
  });
}

}  // namespace

std::span<const Prepare> loss_functions() {
  static constexpr std::array kFunctions{Prepare{"logit_stats", prepare_stats},
                                         Prepare{"cross_entropy", prepare_loss}};
  return kFunctions;
}

}  // namespace megascale::kernels::cuda
