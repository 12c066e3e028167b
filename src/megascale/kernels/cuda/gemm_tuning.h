#ifndef MEGASCALE_KERNELS_CUDA_GEMM_TUNING_H_
#define MEGASCALE_KERNELS_CUDA_GEMM_TUNING_H_

#include <filesystem>
#include <map>
#include <string>

#include "megascale/kernels/cuda/gemm.h"

// Which of a product's candidates is fastest is measured once, by `megascale bench gemm --tune
// FILE`, and then read from the file: measuring when a run starts would choose by chance, and two
// runs would differ in their bits.
namespace megascale::kernels::cuda {

// Candidate by key_of(config). Without an entry the library's favourite is taken.
using GemmTuning = std::map<std::string, std::size_t>;

// "forward 8192x1600->6400 bfloat16 bias": one line per product in the file, followed by the
// candidate.
[[nodiscard]] std::string key_of(const GemmConfig& config);

// Throw Error. A file names the device and library that it was measured with; read_tuning() refuses
// another one's.
[[nodiscard]] GemmTuning read_tuning(const std::filesystem::path& path);
void write_tuning(const std::filesystem::path& path, const GemmTuning& tuning);

// What tuned() chooses by in this process from now on. Call before kernels are prepared; one thread
// at a time.
void use_tuning(GemmTuning tuning);

// The product with the candidate that the tuning names. Throws Error, also for a candidate that
// there is not.
[[nodiscard]] Gemm tuned(const GemmConfig& config);

}  // namespace megascale::kernels::cuda

#endif  // MEGASCALE_KERNELS_CUDA_GEMM_TUNING_H_
