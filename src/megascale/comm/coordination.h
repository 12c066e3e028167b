#ifndef MEGASCALE_COMM_COORDINATION_H_
#define MEGASCALE_COMM_COORDINATION_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "megascale/base/error.h"

namespace megascale::comm {

// What ranks tell each other outside of plans: a few short messages a step (shall we stop, where
// the checkpoint lies). Collective: every rank makes the same calls in the same order, each from
// one thread. A call throws Error once any rank has called abort(); `about` says in errors what the
// ranks were talking about.
class Coordination {
 public:
  Coordination() = default;
  Coordination(const Coordination&) = delete;
  Coordination& operator=(const Coordination&) = delete;
  virtual ~Coordination() = default;
  [[nodiscard]] virtual std::uint32_t rank() const noexcept = 0;
  [[nodiscard]] virtual std::uint32_t world_size() const noexcept = 0;
  // What rank 0 says, on every rank.
  virtual std::string broadcast(std::string message, std::string_view about) = 0;
  // What every rank says, by rank, on rank 0; elsewhere empty.
  virtual std::vector<std::string> gather(std::string message, std::string_view about) = 0;
  // Whether any rank says yes, on every rank.
  virtual bool any(bool mine, std::string_view about) = 0;
  // Any thread; the first error is the one that others see.
  virtual void abort(const Error& error) noexcept = 0;
};

}  // namespace megascale::comm

#endif  // MEGASCALE_COMM_COORDINATION_H_
