// A library for LD_PRELOAD that makes the matrix products or the messages of one rank misbehave, so
// that tests can inject faults of hardware into the real binary. It takes the place of
// dnnl_primitive_execute() and of ucp_am_send_nbx().
//
//   MEGASCALE_FAULT="KIND RANK FILE [AMOUNT]"
//
// The fault begins when FILE exists, in the process whose RANK it is. KIND:
//   spin   a product never returns, and uses its core
//   sleep  a product never returns, and sleeps
//   slow   every product takes AMOUNT percent longer
//   nan    an element of one result becomes NaN, once; FILE is removed
//   flip   bit AMOUNT of an element of one result flips, once; FILE is removed
//   always_nan  an element of every result becomes NaN
//   sometimes_flip  a bit of an element of one result in AMOUNT flips, chosen at random
//   wire_flip   bit AMOUNT of the payload of one message flips, once; FILE is removed
#include <dlfcn.h>
#include <oneapi/dnnl/dnnl.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string_view>

namespace {

using Clock = std::chrono::steady_clock;
using Execute = dnnl_status_t (*)(const_dnnl_primitive_t, dnnl_stream_t, int,
                                  const dnnl_exec_arg_t*);

struct Fault {
  std::array<char, 32> kind{};
  std::array<char, 512> file{};
  int amount = 0;
  bool is_mine = false;

  Fault() {
    const char* text = std::getenv("MEGASCALE_FAULT");
    const char* own = std::getenv("RANK");
    int rank = -1;
    if (text == nullptr || own == nullptr) return;
    is_mine =
        std::sscanf(text, "%31s %d %511s %d", kind.data(), &rank, file.data(), &amount) >= 3 &&
        rank == std::atoi(own);
  }
  [[nodiscard]] bool is(std::string_view name) const { return name == kind.data(); }
};

void wait_for(Clock::duration time) {
  const auto begin = Clock::now();
  while (Clock::now() - begin < time) {
  }
}

// The first element of the result, or null.
std::uint32_t* result_of(const dnnl_exec_arg_t* arguments, int count) {
  void* handle = nullptr;
  for (int i = 0; i < count; ++i) {
    if (arguments[i].arg == DNNL_ARG_DST)
      (void)dnnl_memory_get_data_handle(arguments[i].memory, &handle);
  }
  return static_cast<std::uint32_t*>(handle);
}

const Fault& fault_of_this_rank() {
  static const Fault fault;
  return fault;
}

}  // namespace

// As UCX declares it, with pointers in the place of its types.
extern "C" void* ucp_am_send_nbx(void* endpoint, unsigned id, const void* header,
                                 std::size_t header_nbytes, void* payload, std::size_t nbytes,
                                 const void* parameters) {
  using Send =
      void* (*)(void*, unsigned, const void*, std::size_t, void*, std::size_t, const void*);
  static const auto real = reinterpret_cast<Send>(::dlsym(RTLD_NEXT, "ucp_am_send_nbx"));
  const Fault& fault = fault_of_this_rank();
  if (fault.is_mine && fault.is("wire_flip") && nbytes > 0 && ::unlink(fault.file.data()) == 0) {
    const auto bit = static_cast<std::size_t>(fault.amount);
    static_cast<unsigned char*>(payload)[bit / 8 % nbytes] ^=
        static_cast<unsigned char>(1U << bit % 8);
  }
  return real(endpoint, id, header, header_nbytes, payload, nbytes, parameters);
}

extern "C" dnnl_status_t dnnl_primitive_execute(const_dnnl_primitive_t primitive,
                                                dnnl_stream_t stream, int count,
                                                const dnnl_exec_arg_t* arguments) {
  static const auto real = reinterpret_cast<Execute>(::dlsym(RTLD_NEXT, "dnnl_primitive_execute"));
  const Fault& fault = fault_of_this_rank();
  if (!fault.is_mine || fault.is("wire_flip") || ::access(fault.file.data(), F_OK) != 0)
    return real(primitive, stream, count, arguments);
  if (fault.is("spin")) wait_for(std::chrono::hours(24));
  if (fault.is("sleep")) ::sleep(24 * 3600);
  const auto begin = Clock::now();
  const dnnl_status_t status = real(primitive, stream, count, arguments);
  if (fault.is("slow")) wait_for((Clock::now() - begin) * fault.amount / 100);
  std::uint32_t* result = result_of(arguments, count);
  if (result == nullptr || fault.is("slow")) return status;
  if (fault.is("sometimes_flip")) {
    static std::mt19937 random(static_cast<unsigned>(::getpid()));
    if (random() % static_cast<unsigned>(fault.amount) == 0) *result ^= 1U << random() % 20;
    return status;
  }
  if (!fault.is("always_nan") && ::unlink(fault.file.data()) != 0) return status;
  if (fault.is("flip"))
    *result ^= 1U << static_cast<unsigned>(fault.amount);
  else
    *result = std::bit_cast<std::uint32_t>(std::nanf(""));
  return status;
}
