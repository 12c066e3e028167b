#ifndef MEGASCALE_BASE_WAKEUP_H_
#define MEGASCALE_BASE_WAKEUP_H_

#include <atomic>
#include <cstdint>

namespace megascale {

// An event counter that threads sleep on. Read epoch(), look for work, and if there is none
// wait(epoch): a notify() between the two is never lost. Any number of threads on both sides.
class Wakeup {
 public:
  [[nodiscard]] std::uint32_t epoch() const noexcept {
    return epoch_.load(std::memory_order_acquire);
  }
  void notify() noexcept {
    epoch_.fetch_add(1, std::memory_order_release);
    epoch_.notify_all();
  }
  void wait(std::uint32_t seen) const noexcept { epoch_.wait(seen, std::memory_order_acquire); }

 private:
  std::atomic<std::uint32_t> epoch_{0};
};

}  // namespace megascale

#endif  // MEGASCALE_BASE_WAKEUP_H_
