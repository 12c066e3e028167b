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

// Which of a library's ways to compute a product was the fastest, kept in a file: what was measured
// once is taken from there, so that later runs have the same bits (kernels.gemm_choices).
//
// The file is text, a line for each product: its way as 128 hexadecimal digits, a blank, and what
// it is for. Lines are only ever appended, each by one write: processes that share the file do not
// disturb each other, and of two lines for one product the first counts.
namespace megascale::kernels::cuda {

// As the library describes a way; of use to the same version of it only, so that the version
// belongs into what the way is for.
using GemmWay = std::array<std::byte, 64>;

class GemmChoices {
 public:
  // Reads the file; none yet: no choices. Throws Error: corrupt_data with the line that is not one
  // of the above, io.
  explicit GemmChoices(std::filesystem::path file);
  // That of the file, read once in a process.
  [[nodiscard]] static GemmChoices& at(const std::filesystem::path& file);

  // Any thread.
  [[nodiscard]] std::optional<GemmWay> find(std::string_view product) const;
  // Keeps the way, unless there is one by now; the one that counts. `product`: one line. Any
  // thread. Throws Error (io).
  GemmWay add(std::string_view product, const GemmWay& way);

 private:
  std::filesystem::path file_;
  mutable std::mutex mutex_;
  std::map<std::string, GemmWay, std::less<>> ways_;
};

}  // namespace megascale::kernels::cuda

#endif  // MEGASCALE_KERNELS_CUDA_GEMM_CHOICES_H_
