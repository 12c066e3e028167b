#include "megascale/checkpoint/huggingface/runs.h"

#include <fmt/format.h>

#include <algorithm>

#include "megascale/base/numbers.h"

namespace megascale::checkpoint::huggingface {
namespace {

// Returns the bytes of an even number of hexadecimal digits.
std::optional<std::vector<std::byte>> parse_hex(std::string_view text) {
  const auto digit = [](char c) {
    if (c >= '0' && c <= '9') return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
  };
  std::vector<std::byte> bytes;
  if (text.size() % 2 != 0) return std::nullopt;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const int high = digit(text[i]), low = digit(text[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes.push_back(static_cast<std::byte>(high * 16 + low));
  }
  return bytes;
}

}  // namespace

std::optional<std::string> to_runs(std::span<const std::byte> bytes, std::size_t itemsize) {
  std::string text;
  std::size_t runs = 0;
  for (std::size_t at = 0; at < bytes.size(); ++runs) {
    if (runs == kRunsMax) return std::nullopt;
    const auto element = bytes.subspan(at, itemsize);
    const std::size_t begin = at;
    while (at < bytes.size() && std::ranges::equal(bytes.subspan(at, itemsize), element))
      at += itemsize;
    text += fmt::format("{}{}x", text.empty() ? "" : ",", (at - begin) / itemsize);
    for (const std::byte byte : element) text += fmt::format("{:02x}", byte);
  }
  return text;
}

std::vector<std::byte> parse_runs(std::string_view text, std::size_t itemsize, std::uint64_t nbytes,
                                  const JsonSource& source, std::string_view name) {
  const auto wrong = [&](std::string_view found) {
    return source.error(
        fmt::format("expected runs of {} elements of {} bytes for the buffer \"{}\", found \"{}\"",
                    nbytes / itemsize, itemsize, shown(name), shown(found)));
  };
  std::vector<std::byte> bytes;
  while (!text.empty()) {
    const std::string_view run = text.substr(0, text.find(','));
    text.remove_prefix(std::min(run.size() + 1, text.size()));
    const std::size_t times = std::min(run.find('x'), run.size());
    const auto count = parse_number<std::uint64_t>(run.substr(0, times));
    const auto element = parse_hex(run.substr(std::min(times + 1, run.size())));
    if (!count || !element || element->size() != itemsize ||
        *count > (nbytes - bytes.size()) / itemsize)
      throw wrong(run);
    for (std::uint64_t i = 0; i < *count; ++i)
      bytes.insert(bytes.end(), element->begin(), element->end());
  }
  if (bytes.size() != nbytes) throw wrong(fmt::format("{} bytes", bytes.size()));
  return bytes;
}

}  // namespace megascale::checkpoint::huggingface
