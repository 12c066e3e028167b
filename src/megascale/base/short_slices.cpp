// Requests a short time slice from the Linux scheduler (EEVDF) with the system call sched_setattr.
// A thread with a shorter slice has an earlier deadline, so it preempts a thread that computes with
// a long slice as soon as it wakes.
#include "megascale/base/short_slices.h"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

namespace megascale {
namespace {

// The shortest slice that Linux grants (EEVDF, kernel/sched/syscalls.c).
constexpr std::uint64_t kSliceNs = 100'000;

// The first version of the kernel's struct sched_attr. The C library declares it only since 2.41.
struct SchedulerAttributes {
  std::uint32_t size = sizeof(SchedulerAttributes);
  std::uint32_t policy = SCHED_OTHER;
  std::uint64_t flags = 0;
  std::int32_t nice = 0;
  std::uint32_t priority = 0;
  std::uint64_t runtime_ns = 0;  // for SCHED_OTHER: the time slice
  std::uint64_t deadline_ns = 0;
  std::uint64_t period_ns = 0;
};
static_assert(sizeof(SchedulerAttributes) == 48);

}  // namespace

void ask_for_short_slices() noexcept {
  SchedulerAttributes attributes;
  if (::syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0U) != 0) return;
  // A policy that the user has chosen for the process stays.
  if (attributes.policy != SCHED_OTHER) return;
  attributes.size = sizeof attributes;
  attributes.runtime_ns = kSliceNs;
  // If the kernel refuses, the thread keeps the default slice.
  (void)::syscall(SYS_sched_setattr, 0, &attributes, 0U);
}

}  // namespace megascale
