#ifndef MEGASCALE_BASE_STATE_DIGEST_H_
#define MEGASCALE_BASE_STATE_DIGEST_H_

#include <cstdint>

namespace megascale {

// Digests of the state of the model that an update has read, and of what it has written in its
// place. The next update reads what this one has written: if its digest of that differs, memory has
// changed in between. Ranks that hold copies of the same state write equal digests, if they run the
// same instructions; so a wrong update is noticed too.
// A digest finds every flipped bit, and other differences with a probability of about 1 - 2^-32. It
// does not protect against forged data.
struct StateDigests {
  std::uint64_t read = 0, written = 0;
};

// A task function that updates state of the model.
class UpdatesState {
 public:
  UpdatesState() = default;
  UpdatesState(const UpdatesState&) = delete;
  UpdatesState& operator=(const UpdatesState&) = delete;
  virtual ~UpdatesState() = default;
  // Returns the sums of the digests of all runs since the last call; zeros: there was no update. The
  // rank's own thread calls it, between steps.
  virtual StateDigests take_digests() noexcept = 0;
  // Adds to these sums.
  virtual void add_digests(const StateDigests& digests) noexcept = 0;
};

}  // namespace megascale

#endif  // MEGASCALE_BASE_STATE_DIGEST_H_
