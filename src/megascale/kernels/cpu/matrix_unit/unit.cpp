// Detects AMX by CPUID and asks Linux for the permission to use it.
#include "megascale/kernels/cpu/matrix_unit/unit.h"

#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace megascale::kernels::cpu {
namespace {

constexpr unsigned kBfloat16Tiles = 1U << 22, kTiles = 1U << 24;  // CPUID 7, EDX

bool processor_has_tiles() noexcept {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) == 0) return false;
  return (edx & kBfloat16Tiles) != 0 && (edx & kTiles) != 0;
}

// A process may use the tiles only after it has asked Linux for permission (arch_prctl(2)).
bool permitted() noexcept {
  constexpr long kRequestPermission = 0x1023, kTileData = 18;
  return ::syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

}  // namespace

bool matrix_unit_available() noexcept {
  static const bool available = [] {
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
           __builtin_cpu_supports("avx512bf16") != 0 && processor_has_tiles() && permitted();
  }();
  return available;
}

}  // namespace megascale::kernels::cpu
