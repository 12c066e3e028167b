#ifndef MEGASCALE_BASE_CORE_BINDING_H_
#define MEGASCALE_BASE_CORE_BINDING_H_

#include <cstddef>
#include <vector>

namespace megascale {

// The cores that this process might run on when it first asked, as the operating system numbers
// them; where it does not say, core 0. Any thread.
[[nodiscard]] const std::vector<int>& process_cores();
// How many they are.
[[nodiscard]] inline std::size_t available_cores() { return process_cores().size(); }

// The cores of the `rank`-th of `ranks` ranks of a host with `threads` threads each: ranks lie one
// after the other around `cores`. Where they leave a core free, or one fills them all, a rank has
// them all: the operating system then does better.
[[nodiscard]] std::vector<int> cores_of_rank(const std::vector<int>& cores, std::size_t rank,
                                             std::size_t ranks, std::size_t threads);

// While this lives, the thread that made it, and threads that it starts meanwhile for good, keep to
// `cores`. Where the operating system refuses, they run as they did.
class CoreBinding {
 public:
  explicit CoreBinding(const std::vector<int>& cores);
  ~CoreBinding();
  CoreBinding(const CoreBinding&) = delete;
  CoreBinding& operator=(const CoreBinding&) = delete;

 private:
  std::vector<int> before_;
};

}  // namespace megascale

#endif  // MEGASCALE_BASE_CORE_BINDING_H_
