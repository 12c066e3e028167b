#ifndef MEGASCALE_BASE_ENVIRONMENT_H_
#define MEGASCALE_BASE_ENVIRONMENT_H_

namespace megascale {

// Returns the value of an environment variable, or null if it is not set. The text belongs to the
// environment of the process. Any thread may call it: megascale never changes the environment after
// it has started threads.
[[nodiscard]] const char* environment_variable(const char* name) noexcept;

}  // namespace megascale

#endif  // MEGASCALE_BASE_ENVIRONMENT_H_
