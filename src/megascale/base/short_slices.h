#ifndef MEGASCALE_BASE_SHORT_SLICES_H_
#define MEGASCALE_BASE_SHORT_SLICES_H_

namespace megascale {

// Asks the scheduler to give the calling thread short time slices. When such a thread wakes, it
// preempts a thread with longer slices at once. Otherwise it would wait for the end of the other
// thread's slice, some milliseconds. Call it on threads that do little work and that other threads
// wait for, such as a progress thread. The thread's share of the core stays the same, and no
// privilege is needed. Linux before 6.12 ignores the request.
void ask_for_short_slices() noexcept;

}  // namespace megascale

#endif  // MEGASCALE_BASE_SHORT_SLICES_H_
