// The tables of the kernel are read only if a process has other sockets than before.
#include "megascale/control/port_watch.h"

#include <algorithm>

#include "megascale/base/error.h"
#include "megascale/base/files.h"
#include "megascale/base/run_directory.h"

namespace megascale::control {
namespace {

constexpr std::int64_t kBetweenLooksNs = 2'000'000'000;

std::filesystem::path folder_of(const std::filesystem::path& run_dir) {
  return RunDirectory(run_dir).control() / "ports";
}

}  // namespace

PortWatch::PortWatch(std::filesystem::path run_dir, std::string name, std::string host)
    : path_(folder_of(run_dir) / (name + ".json")), host_(std::move(host)) {}

PortWatch::~PortWatch() {
  std::error_code none;
  if (is_written_) std::filesystem::remove(path_, none);
}

void PortWatch::look(const std::vector<WatchedProcess>& processes, std::int64_t now_ns) {
  if (now_ns < look_not_before_ns_) return;
  look_not_before_ns_ = now_ns + kBetweenLooksNs;
  std::map<pid_t, std::set<std::uint64_t>> sockets;
  for (const WatchedProcess& one : processes) sockets[one.process] = sockets_of(one.process);
  if (sockets == sockets_ && is_written_) return;
  std::vector<ListeningPort> ports;
  for (const WatchedProcess& one : processes) {
    for (auto& port : listening_ports(one.process, sockets[one.process], one.purpose, one.rank))
      ports.push_back(std::move(port));
  }
  sockets_ = std::move(sockets);
  if (!is_written_ || ports != ports_) write(ports);
  ports_ = std::move(ports);
}

void PortWatch::write(const std::vector<ListeningPort>& ports) {
  Json list = Json::array();
  for (const ListeningPort& port : ports) list.push_back(to_json(port));
  try {
    make_directories(path_.parent_path());
    write_text_atomically(path_, to_text(Json{{"host", host_}, {"ports", std::move(list)}}));
    is_written_ = true;
  } catch (const Error&) {  // a full disk; the next look tries again
    is_written_ = false;
  }
}

Json read_ports(const std::filesystem::path& run_dir, const std::set<std::string>& hosts) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder_of(run_dir), error), end;
       !error && entry != end; entry.increment(error)) {
    if (entry->path().extension() == ".json") files.push_back(entry->path());
  }
  std::sort(files.begin(), files.end());
  Json all = Json::array();
  for (const auto& file : files) {
    try {
      const Json host = Json::parse(read_text(file));
      if (file.stem() != kPortsOfDriver && !hosts.contains(host.at("host"))) continue;
      for (const Json& port : host.at("ports")) {
        Json one{{"host", host.at("host")}};
        one.update(port);
        all.push_back(std::move(one));
      }
    } catch (const std::exception&) {  // its executor ends at this moment, or a file of others
      continue;
    }
  }
  return all;
}

}  // namespace megascale::control
