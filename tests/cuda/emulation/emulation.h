#ifndef MEGASCALE_TESTS_CUDA_EMULATION_EMULATION_H_
#define MEGASCALE_TESTS_CUDA_EMULATION_EMULATION_H_

#include <cstdint>

namespace megascale::emulation {

// Of the chance by which the emulated device orders what nothing else does.
void seed(std::uint64_t value);

}  // namespace megascale::emulation

#endif  // MEGASCALE_TESTS_CUDA_EMULATION_EMULATION_H_
