#include <array>
#include <vector>

#include "cuda/emulation/device_words.h"
#include "megascale/base/error.h"

#ifndef __x86_64__
#error "the emulation switches fibers on x86-64 only"
#endif

// Saves the callee's registers and the stack of one fiber, and goes on with another one.
asm(R"(
.text
.globl megascale_switch_fiber
.type megascale_switch_fiber, @function
megascale_switch_fiber:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
)");
extern "C" void megascale_switch_fiber(void** save, void* to);

namespace megascale::emulation {

dim3 thread_index, block_index, block_size, grid_size;

namespace {

constexpr std::size_t kStackNbytes = std::size_t{64} * 1024, kMostThreads = 1024;

struct Barrier {
  unsigned arrived = 0;
  std::uint64_t generation = 0;
};
struct Fiber {
  void* stack_pointer = nullptr;
  bool done = false;
};

// The block that runs. Kernels run one at a time, whoever's thread it is.
struct Block {
  std::vector<std::byte> stacks = std::vector<std::byte>(kStackNbytes * kMostThreads);
  std::array<Fiber, kMostThreads> fibers;
  unsigned threads = 0, current = 0;
  void* host_stack = nullptr;
  const std::function<void()>* kernel = nullptr;
  Barrier of_block;
  std::array<Barrier, kMostThreads / 32> of_warp;
  std::array<std::array<std::uint64_t, 32>, kMostThreads / 32> lanes{};
  std::vector<unsigned char> shared;
  std::uint64_t moves = 0;  // barriers passed and threads ended: a turn without one is a deadlock
};
Block& block() {
  static Block block;
  return block;
}

void yield() {
  Block& b = block();
  megascale_switch_fiber(&b.fibers[b.current].stack_pointer, b.host_stack);
}

void wait_at(Barrier& barrier, unsigned members) {
  const std::uint64_t generation = barrier.generation;
  if (++barrier.arrived == members) {
    barrier.arrived = 0;
    ++barrier.generation;
    ++block().moves;
    return;
  }
  while (barrier.generation == generation) yield();
}

void fiber_main() {
  Block& b = block();
  (*b.kernel)();
  b.fibers[b.current].done = true;
  ++b.moves;
  yield();
  MEGASCALE_CHECK(false, "a fiber that has ended goes on");
}

void start(unsigned thread) {
  Block& b = block();
  b.fibers[thread].done = false;
  std::byte* top = b.stacks.data() + (thread + 1) * kStackNbytes;
  top -= reinterpret_cast<std::uintptr_t>(top) % 16;
  auto* stack = reinterpret_cast<void**>(top);
  *--stack = nullptr;  // the return address that fiber_main never uses
  *--stack = reinterpret_cast<void*>(&fiber_main);
  for (int saved = 0; saved < 6; ++saved) *--stack = nullptr;
  b.fibers[thread].stack_pointer = stack;
}

void run_block(unsigned number) {
  Block& b = block();
  b.of_block = {};
  b.of_warp = {};
  for (unsigned t = 0; t < b.threads; ++t) start(t);
  for (unsigned left = b.threads; left > 0;) {
    const std::uint64_t before = b.moves;
    for (unsigned turn = 0; turn < b.threads; ++turn) {
      const unsigned t = number % 2 == 0 ? turn : b.threads - 1 - turn;
      if (b.fibers[t].done) continue;
      b.current = t;
      thread_index = dim3(t, 0, 0);
      megascale_switch_fiber(&b.host_stack, b.fibers[t].stack_pointer);
      if (b.fibers[t].done) --left;
    }
    MEGASCALE_CHECK(b.moves != before, "a barrier that not all threads of the block reach");
  }
}

}  // namespace

void sync_block() { wait_at(block().of_block, block().threads); }

std::span<const std::uint64_t> exchange_in_warp(std::uint64_t value) {
  Block& b = block();
  const unsigned warp = thread_index.x / 32;
  // Twice, so that no lane writes its next value while another still reads this one.
  wait_at(b.of_warp[warp], 32);
  b.lanes[warp][b.current % 32] = value;
  wait_at(b.of_warp[warp], 32);
  return b.lanes[warp];
}

unsigned char* dynamic_shared() { return block().shared.data(); }

void run_grid(dim3 grid, unsigned threads, std::size_t shared_nbytes,
              const std::function<void()>& kernel) {
  constexpr std::size_t kMostShared = std::size_t{227} * 1024;  // of an H100
  MEGASCALE_CHECK(threads % 32 == 0 && threads <= kMostThreads && shared_nbytes <= kMostShared &&
                      grid.x > 0 && grid.y > 0 && grid.z > 0 && grid.y < 65536 && grid.z < 65536,
                  "a launch that a device refuses");
  Block& b = block();
  b.threads = threads;
  b.kernel = &kernel;
  grid_size = grid;
  block_size = dim3(threads);
  unsigned number = 0;
  for (unsigned z = 0; z < grid.z; ++z) {
    for (unsigned y = 0; y < grid.y; ++y) {
      for (unsigned x = 0; x < grid.x; ++x) {
        b.shared.assign(shared_nbytes, 0xFF);  // NaN: nothing is there before it is written
        block_index = dim3(x, y, z);
        run_block(number++);
      }
    }
  }
}

}  // namespace megascale::emulation
