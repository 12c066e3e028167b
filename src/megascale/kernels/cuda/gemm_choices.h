#ifndef MEGASCALE_KERNELS_CUDA_GEMM_CHOICES_H_
#define MEGASCALE_KERNELS_CUDA_GEMM_CHOICES_H_

#include <array>
#include <cstddef>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

// A file that records which of cuBLASLt's algorithms was the fastest for a product
// (kernels.gemm_choices). Algorithms differ in bits and measurements vary, so later runs read the
// choice from the file and have the same bits.
//
// The file is text with one line per product: the algorithm as 128 hexadecimal digits, a blank, and
// the product's name (the device, the library's version and the configuration). Lines are only
// appended, each by one write, so several processes can share the file. If two lines have the same
// product, the first one counts.
namespace megascale::kernels::cuda {

// An algorithm in cuBLASLt's own binary form. Only the same version of the library understands it,
// so the version is a part of the product's name.
using GemmWay = std::array<std::byte, 64>;

// The recorded algorithms of one file. Any thread may use an object.
class GemmChoices {
 public:
  // Reads the file. If it does not exist, there are no choices yet. Throws Error(corrupt_data),
  // which names the line, if a line does not have the form above, and Error(io) if it cannot be
  // read.
  explicit GemmChoices(std::filesystem::path file);
  // Returns the process's only object for the file; the first call reads it. Any thread. Throws
  // like the constructor.
  [[nodiscard]] static GemmChoices& at(const std::filesystem::path& file);

  // Returns the recorded algorithm of a product, or nothing.
  [[nodiscard]] std::optional<GemmWay> find(std::string_view product) const;
  // Records an algorithm, unless another thread of this process has recorded one for the product.
  // Returns the recorded one. `product` has no line break. Throws Error(io).
  GemmWay add(std::string_view product, const GemmWay& way);

 private:
  std::filesystem::path file_;
  mutable std::mutex mutex_;
  std::map<std::string, GemmWay, std::less<>> ways_;
};

}  // namespace megascale::kernels::cuda

#endif  // MEGASCALE_KERNELS_CUDA_GEMM_CHOICES_H_
