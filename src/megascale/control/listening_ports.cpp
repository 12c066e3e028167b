// /proc/PID/fd has links such as "socket:[4711]"; /proc/PID/net/tcp and its neighbours have a line for
// each socket of the process's network namespace, with the same number (man 5 proc).
#include "megascale/control/listening_ports.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <string_view>
#include <tuple>

namespace megascale::control {
namespace {

constexpr std::string_view kSocketLink = "socket:[";

struct Table {
  const char *file, *protocol;
  int family;
  const char* state;  // of sockets that take what comes: TCP_LISTEN, and TCP_CLOSE for UDP
};
constexpr std::array<Table, 4> kTables{{{"tcp", "tcp", AF_INET, "0A"},
                                        {"tcp6", "tcp", AF_INET6, "0A"},
                                        {"udp", "udp", AF_INET, "07"},
                                        {"udp6", "udp", AF_INET6, "07"}}};

// Returns an address of the tables as usual text. They show it as words of 32 bits in hexadecimal.
std::string address_text(const std::string& hex, int family) {
  std::array<std::uint32_t, 4> words{};
  for (std::size_t i = 0; i < hex.size() / 8 && i < words.size(); ++i)
    (void)std::from_chars(hex.data() + 8 * i, hex.data() + 8 * i + 8, words[i], 16);
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (::inet_ntop(family, words.data(), text.data(), text.size()) == nullptr) return hex;
  return text.data();
}

// Returns the names of this host's interfaces by their addresses.
std::map<std::string, std::string> interfaces_by_address() {
  std::map<std::string, std::string> names{{"0.0.0.0", "all"}, {"::", "all"}};
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) != 0) return names;
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owner(list, ::freeifaddrs);
  for (const ifaddrs* one = list; one != nullptr; one = one->ifa_next) {
    if (one->ifa_addr == nullptr) continue;
    const int family = one->ifa_addr->sa_family;
    std::array<char, INET6_ADDRSTRLEN> text{};
    const void* bytes = family == AF_INET
                            ? static_cast<const void*>(
                                  &reinterpret_cast<const sockaddr_in*>(one->ifa_addr)->sin_addr)
                            : &reinterpret_cast<const sockaddr_in6*>(one->ifa_addr)->sin6_addr;
    if ((family == AF_INET || family == AF_INET6) &&
        ::inet_ntop(family, bytes, text.data(), text.size()) != nullptr)
      names.emplace(text.data(), one->ifa_name);
  }
  return names;
}

}  // namespace

std::set<std::uint64_t> sockets_of(pid_t process) {
  std::set<std::uint64_t> sockets;
  std::error_code error;
  const std::filesystem::path directory = fmt::format("/proc/{}/fd", process);
  for (std::filesystem::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code gone;
    const std::string link = std::filesystem::read_symlink(entry->path(), gone).string();
    std::uint64_t number = 0;
    if (link.starts_with(kSocketLink) &&
        std::from_chars(link.data() + kSocketLink.size(), link.data() + link.size(), number).ec ==
            std::errc())
      sockets.insert(number);
  }
  return sockets;
}

std::vector<ListeningPort> listening_ports(pid_t process, const std::set<std::uint64_t>& sockets,
                                           const std::string& purpose, std::int64_t rank) {
  std::vector<ListeningPort> ports;
  if (sockets.empty()) return ports;
  const auto interfaces = interfaces_by_address();
  for (const Table& table : kTables) {
    std::ifstream file(fmt::format("/proc/{}/net/{}", process, table.file));
    std::string line;
    std::getline(file, line);  // the names of the columns
    while (std::getline(file, line)) {
      std::istringstream words(line);
      std::string slot, local, remote, state, queues, timer, retries, user, timeout;
      std::uint64_t number = 0;
      words >> slot >> local >> remote >> state >> queues >> timer >> retries >> user >> timeout >>
          number;
      const auto colon = local.find(':');
      if (!words || state != table.state || colon == std::string::npos || !sockets.contains(number))
        continue;
      ListeningPort port{.purpose = purpose,
                         .rank = rank,
                         .process = process,
                         .protocol = table.protocol,
                         .address = address_text(local.substr(0, colon), table.family),
                         .interface = {}};
      (void)std::from_chars(local.data() + colon + 1, local.data() + local.size(), port.port, 16);
      const auto name = interfaces.find(port.address);
      port.interface = name == interfaces.end() ? "unknown" : name->second;
      ports.push_back(std::move(port));
    }
  }
  std::sort(ports.begin(), ports.end(), [](const ListeningPort& a, const ListeningPort& b) {
    return std::tie(a.protocol, a.address, a.port) < std::tie(b.protocol, b.address, b.port);
  });
  return ports;
}

Json to_json(const ListeningPort& port) {
  Json json{{"purpose", port.purpose}};
  if (port.rank >= 0) json["rank"] = port.rank;
  json["process"] = port.process;
  json["protocol"] = port.protocol;
  json["address"] = port.address;
  json["port"] = port.port;
  json["interface"] = port.interface;
  return json;
}

}  // namespace megascale::control
