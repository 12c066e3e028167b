#ifndef MEGASCALE_KERNELS_CUDA_FUNCTIONS_COMPLAINING_FUNCTION_H_
#define MEGASCALE_KERNELS_CUDA_FUNCTIONS_COMPLAINING_FUNCTION_H_

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "megascale/kernels/cuda/complaint.h"
#include "megascale/kernels/cuda/functions/functions.h"

namespace megascale::kernels::cuda {

// A task function whose kernel may complain. `body` is called as body(arguments, complaint) and enqueues
// the kernel; `describe` turns the number of a complaint into the message of an Error (failed).
// complaining_function() is its factory.
template <class Body, class Describe>
class ComplainingFunction final : public TaskFunction {
 public:
  // Throws Error (out_of_memory).
  ComplainingFunction(Body body, Describe describe)
      : body_(std::move(body)), describe_(std::move(describe)), memory_(sizeof(Complaint)) {}
  const Error* run(const TaskArguments& arguments) noexcept override {
    body_(arguments, complaint());
    return nullptr;
  }
  const Error* late_error() noexcept override {
    const std::int64_t count = complaint()->count;
    if (count == 0) return nullptr;
    error_.emplace(ErrorCode::failed, describe_(count));
    return &*error_;
  }

 private:
  [[nodiscard]] Complaint* complaint() const noexcept {
    return reinterpret_cast<Complaint*>(memory_.bytes().data());
  }

  Body body_;
  Describe describe_;
  ::megascale::cuda::PinnedMemory memory_;
  std::optional<Error> error_;
};
template <class Body, class Describe>
std::unique_ptr<TaskFunction> complaining_function(Body body, Describe describe) {
  return std::make_unique<ComplainingFunction<Body, Describe>>(std::move(body),
                                                               std::move(describe));
}

}  // namespace megascale::kernels::cuda

#endif  // MEGASCALE_KERNELS_CUDA_FUNCTIONS_COMPLAINING_FUNCTION_H_
