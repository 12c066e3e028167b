// /proc/net/dev has two lines of headings, then "NAME: RECEIVED 7 more columns SENT ...".
#include "megascale/control/interface_counters.h"

#include <optional>
#include <sstream>
#include <system_error>

#include "megascale/base/error.h"
#include "megascale/base/files.h"
#include "megascale/base/numbers.h"

namespace megascale::control {
namespace {

constexpr std::size_t kMostInterfaces = 256;
constexpr std::int64_t kRdmaWord = 4;  // bytes

std::string text_of(const std::filesystem::path& path) {
  try {
    return read_text(path);
  } catch (const Error&) {
    return {};
  }
}

void add_devices(const std::filesystem::path& net_dev, std::vector<InterfaceCounters>& counters) {
  std::istringstream lines(text_of(net_dev));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos || counters.size() >= kMostInterfaces) continue;
    const std::size_t begin = line.find_first_not_of(' ');
    std::istringstream columns(line.substr(colon + 1));
    InterfaceCounters one{.name = line.substr(begin, colon - begin)};
    std::int64_t skipped = 0;
    columns >> one.received;
    for (int i = 0; i < 7; ++i) columns >> skipped;
    if (columns >> one.sent) counters.push_back(std::move(one));
  }
}

std::optional<std::int64_t> number_in(const std::filesystem::path& path) {
  const std::string text = text_of(path);
  return parse_number<std::int64_t>(std::string_view(text).substr(0, text.find('\n')));
}

void add_rdma(const std::filesystem::path& rdma, std::vector<InterfaceCounters>& counters) {
  std::error_code none;
  for (const auto& device : std::filesystem::directory_iterator(rdma, none)) {
    for (const auto& port : std::filesystem::directory_iterator(device.path() / "ports", none)) {
      const auto received = number_in(port.path() / "counters/port_rcv_data");
      const auto sent = number_in(port.path() / "counters/port_xmit_data");
      if (!received || !sent || counters.size() >= kMostInterfaces) continue;
      counters.push_back(
          {.name = device.path().filename().string() + "/" + port.path().filename().string(),
           .received = *received * kRdmaWord,
           .sent = *sent * kRdmaWord});
    }
  }
}

}  // namespace

std::vector<InterfaceCounters> read_interface_counters(const std::filesystem::path& net_dev,
                                                       const std::filesystem::path& rdma) {
  std::vector<InterfaceCounters> counters;
  add_devices(net_dev, counters);
  add_rdma(rdma, counters);
  return counters;
}

}  // namespace megascale::control
