#ifndef MEGASCALE_KERNELS_CUDA_FUNCTIONS_COMPLAINING_FUNCTION_H_
#define MEGASCALE_KERNELS_CUDA_FUNCTIONS_COMPLAINING_FUNCTION_H_

#include <memory>
#include <utility>

#include "megascale/kernels/cuda/functions/functions.h"

namespace megascale::kernels::cuda {

// A task function whose kernel may complain (TaskArguments::complaint). `body` is called as body(arguments)
// and enqueues the kernel; `describe` turns the number of a complaint into the message of an Error (failed).
// complaining_function() is its factory.
template <class Body, class Describe>
class ComplainingFunction final : public TaskFunction {
 public:
  ComplainingFunction(Body body, Describe describe)
      : body_(std::move(body)), describe_(std::move(describe)) {}
  const Error* run(const TaskArguments& arguments) noexcept override {
    body_(arguments);
    return nullptr;
  }
  [[nodiscard]] Error late_error(std::int64_t complaint) const override {
    return {ErrorCode::failed, describe_(complaint)};
  }

 private:
  Body body_;
  Describe describe_;
};
template <class Body, class Describe>
std::unique_ptr<TaskFunction> complaining_function(Body body, Describe describe) {
  return std::make_unique<ComplainingFunction<Body, Describe>>(std::move(body),
                                                               std::move(describe));
}

}  // namespace megascale::kernels::cuda

#endif  // MEGASCALE_KERNELS_CUDA_FUNCTIONS_COMPLAINING_FUNCTION_H_
