// Reads the file of choices into a map, and appends a line for each new choice. A line without its
// end is ignored: another process may still be writing it.
#include "megascale/kernels/cuda/gemm_choices.h"

#include <fmt/format.h>

#include <charconv>
#include <memory>
#include <utility>

#include "megascale/base/error.h"
#include "megascale/base/files.h"

namespace megascale::kernels::cuda {
namespace {

constexpr std::size_t kDigits = 2 * sizeof(GemmWay);

std::optional<GemmWay> parse_way(std::string_view digits) {
  GemmWay way{};
  for (std::size_t i = 0; i < way.size(); ++i) {
    unsigned value = 0;
    const char* begin = digits.data() + 2 * i;
    const auto [end, error] = std::from_chars(begin, begin + 2, value, 16);
    if (error != std::errc() || end != begin + 2) return std::nullopt;
    way[i] = static_cast<std::byte>(value);
  }
  return way;
}

std::string line_of(std::string_view product, const GemmWay& way) {
  std::string line;
  for (const std::byte byte : way) line += fmt::format("{:02x}", static_cast<unsigned>(byte));
  return fmt::format("{} {}\n", line, product);
}

}  // namespace

GemmChoices::GemmChoices(std::filesystem::path file) : file_(std::move(file)) {
  if (!std::filesystem::exists(file_)) return;
  const std::string text = read_text(file_);
  std::string_view rest = text;
  // A last line without a line break is skipped: another process is writing it, or was killed while
  // it wrote.
  for (std::size_t number = 1, end = 0; (end = rest.find('\n')) != rest.npos; ++number) {
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end + 1);
    const bool has_parts = line.size() > kDigits + 1 && line[kDigits] == ' ';
    const auto way = has_parts ? parse_way(line) : std::nullopt;
    if (!way) {
      throw Error(
          ErrorCode::corrupt_data,
          fmt::format("{}:{}: expected {} hexadecimal digits, a blank and a product, as "
                      "kernels.gemm_choices writes them, found \"{}\". Remove the file to measure "
                      "the products again",
                      file_.string(), number, kDigits, line.substr(0, 60)));
    }
    ways_.emplace(line.substr(kDigits + 1), *way);
  }
}

GemmChoices& GemmChoices::at(const std::filesystem::path& file) {
  static std::mutex mutex;
  static std::map<std::filesystem::path, std::unique_ptr<GemmChoices>> all;
  const std::lock_guard lock(mutex);
  auto& choices = all[std::filesystem::absolute(file)];
  if (choices == nullptr) choices = std::make_unique<GemmChoices>(std::filesystem::absolute(file));
  return *choices;
}

std::optional<GemmWay> GemmChoices::find(std::string_view product) const {
  const std::lock_guard lock(mutex_);
  const auto found = ways_.find(product);
  return found == ways_.end() ? std::nullopt : std::optional(found->second);
}

GemmWay GemmChoices::add(std::string_view product, const GemmWay& way) {
  const std::lock_guard lock(mutex_);
  const auto [place, is_new] = ways_.emplace(product, way);
  if (is_new) {
    const FileHandle file = open_file(file_, OpenMode::append);
    write_all(file, line_of(product, way), file_);
  }
  return place->second;
}

}  // namespace megascale::kernels::cuda
