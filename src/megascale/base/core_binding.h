#ifndef MEGASCALE_BASE_CORE_BINDING_H_
#define MEGASCALE_BASE_CORE_BINDING_H_

#include <cstddef>
#include <vector>

// Binding of threads to cores: which cores the process may use, which of them a rank gets, and a
// scope during which a thread runs on given cores only. Cores are numbered as the operating system
// numbers them.
namespace megascale {

// Returns the cores that the process was allowed to use at the first call. If the operating system
// does not report them, the list is {0}. Any thread may call it.
[[nodiscard]] const std::vector<int>& process_cores();
// Returns the number of process_cores().
[[nodiscard]] inline std::size_t available_cores() { return process_cores().size(); }

// Returns the cores of rank number `rank` (counted from 0) among `ranks` ranks of a host, each with
// `threads` threads. The ranks take `threads` consecutive entries of `cores` each, and start over
// at its end. A rank gets all of `cores` if the ranks together leave a core free, or if one rank
// has at least as many threads as there are cores: the scheduler then places the threads better
// than a fixed binding.
[[nodiscard]] std::vector<int> cores_of_rank(const std::vector<int>& cores, std::size_t rank,
                                             std::size_t ranks, std::size_t threads);

// Binds the calling thread to `cores` (empty: leaves it as it is) until the destructor restores the
// former binding. Threads
// that the calling thread starts in between inherit the binding and keep it for good. If the
// operating system refuses the binding, nothing changes. Construct and destroy it on the same
// thread.
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
