#ifndef MEGASCALE_BASE_SHORT_SLICES_H_
#define MEGASCALE_BASE_SHORT_SLICES_H_

namespace megascale {

// Asks the scheduler for the calling thread to run often and briefly: when it wakes it interrupts a
// thread with longer slices at once. For threads that do little and that others wait for. Without
// it a thread that wakes on a core where another computes waits until that one's slice is over,
// some milliseconds. A thread's share of the core stays the same, and no privilege is needed. Linux
// before 6.12 takes no notice.
void ask_for_short_slices() noexcept;

}  // namespace megascale

#endif  // MEGASCALE_BASE_SHORT_SLICES_H_
