#include "megascale/diagnose/link_check.h"

#include <fmt/format.h>

#include "megascale/base/numbers.h"
#include "megascale/diagnose/system_files.h"

namespace megascale::diagnose {
namespace {

// The number at the beginning of a text such as "100 Gb/sec (4X EDR)"; 0 without one.
double leading_number(std::string_view text) {
  return parse_number<double>(text.substr(0, text.find(' '))).value_or(0);
}

void read_interfaces(const std::filesystem::path& folder, CheckReport& report) {
  for (const std::string& name : names_in(folder)) {
    // Interfaces without a device are the kernel's own: loopback, bridges, tunnels.
    if (!std::filesystem::exists(folder / name / "device") ||
        first_line(folder / name / "carrier") != "1")
      continue;
    const double speed = leading_number(first_line(folder / name / "speed"));
    // Virtual devices have no speed; that there is a link still counts.
    report.rates.push_back(
        {"link." + name, speed > 0 ? speed : 1, speed > 0 ? "Mbit/s" : "link", 1});
  }
}

void read_rdma_ports(const std::filesystem::path& folder, CheckReport& report) {
  for (const std::string& device : names_in(folder)) {
    for (const std::string& port : names_in(folder / device / "ports")) {
      const auto path = folder / device / "ports" / port;
      if (first_line(path / "state").find("ACTIVE") == std::string::npos) continue;
      report.rates.push_back({fmt::format("rdma.{}.{}", device, port),
                              leading_number(first_line(path / "rate")), "Gbit/s", 1});
    }
  }
}

}  // namespace

void check_links(const std::filesystem::path& sys, CheckReport& report) {
  read_interfaces(sys / "class/net", report);
  const std::size_t interfaces = report.rates.size();
  read_rdma_ports(sys / "class/infiniband", report);
  report.text =
      fmt::format("{} network {} and {} RDMA {} with a link", interfaces,
                  interfaces == 1 ? "interface" : "interfaces", report.rates.size() - interfaces,
                  report.rates.size() - interfaces == 1 ? "port" : "ports");
}

}  // namespace megascale::diagnose
