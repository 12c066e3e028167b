#ifndef MEGASCALE_BASE_ENVIRONMENT_H_
#define MEGASCALE_BASE_ENVIRONMENT_H_

namespace megascale {

// The value of an environment variable, null where it is not set. From any thread: nothing here
// changes the environment once threads run. Borrowed from the environment.
[[nodiscard]] const char* environment_variable(const char* name) noexcept;

}  // namespace megascale

#endif  // MEGASCALE_BASE_ENVIRONMENT_H_
