// Encodes a record as plain bytes: integers as they lie in memory, texts after their length. All
// ranks of a job run the same binary on the same architecture, so no other byte order occurs. The
// data about the process comes from /proc.
#include "megascale/comm/ucx/endpoint_record.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <cstring>
#include <fstream>
#include <sstream>
#include <type_traits>

#include "megascale/base/error.h"

namespace megascale::comm {
namespace {

// "MUX" and the version of the record. Only this version is read: ranks of a job run one binary.
constexpr std::uint32_t kMagic = 0x4d55'5802;

class Writer {
 public:
  template <class T>
  void number(T value) {
    static_assert(std::is_integral_v<T>);
    const auto* begin = reinterpret_cast<const std::byte*>(&value);
    bytes.insert(bytes.end(), begin, begin + sizeof value);
  }
  void text(std::span<const std::byte> value) {
    number(static_cast<std::uint32_t>(value.size()));
    bytes.insert(bytes.end(), value.begin(), value.end());
  }
  std::vector<std::byte> bytes;
};

class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : rest_(bytes) {}
  template <class T>
  T number() {
    T value{};
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  std::span<const std::byte> text() { return take(number<std::uint32_t>()); }
  [[nodiscard]] bool at_end() const noexcept { return rest_.empty(); }

 private:
  std::span<const std::byte> take(std::size_t nbytes) {
    if (nbytes > rest_.size()) {
      throw Error(ErrorCode::bad_input,
                  fmt::format("a rank's address ends early: expected {} more bytes, found {}; pass "
                              "UcxWorker::address() on unchanged",
                              nbytes, rest_.size()));
    }
    const auto taken = rest_.first(nbytes);
    rest_ = rest_.subspan(nbytes);
    return taken;
  }
  std::span<const std::byte> rest_;
};

std::string as_string(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string first_line(const char* path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

}  // namespace

std::uint64_t process_start_ticks(std::int32_t pid) {
  // The start time is field 22 of the line. Field 2, the command's name, may contain any character,
  // but ends at the last ')' of the line.
  const std::string line = first_line(fmt::format("/proc/{}/stat", pid).c_str());
  const std::size_t name_end = line.rfind(')');
  if (name_end == std::string::npos) return 0;
  std::istringstream fields(line.substr(name_end + 1));
  std::string field;
  for (int i = 3; i <= 22; ++i) fields >> field;
  std::uint64_t ticks = 0;
  std::istringstream(field) >> ticks;
  return ticks;
}

EndpointRecord EndpointRecord::of_this_process() {
  EndpointRecord record;
  std::array<char, HOST_NAME_MAX + 1> host{};
  ::gethostname(host.data(), host.size() - 1);
  record.host = host.data();
  record.boot = first_line("/proc/sys/kernel/random/boot_id");
  struct stat space {};
  if (::stat("/proc/self/ns/pid", &space) == 0) record.pid_space = space.st_ino;
  record.pid = ::getpid();
  record.start_ticks = process_start_ticks(record.pid);
  return record;
}

std::vector<std::byte> EndpointRecord::encode() const {
  Writer writer;
  writer.number(kMagic);
  writer.number(rank);
  writer.text(std::as_bytes(std::span(host)));
  writer.text(std::as_bytes(std::span(boot)));
  writer.number(pid_space);
  writer.number(pid);
  writer.number(start_ticks);
  writer.number(static_cast<std::uint8_t>(shared_memory));
  writer.number(marks_fd);
  writer.number(memory_fd);
  writer.number(memory_nbytes);
  writer.text(ucx);
  return std::move(writer.bytes);
}

EndpointRecord EndpointRecord::decode(std::span<const std::byte> bytes) {
  Reader reader(bytes);
  if (const auto magic = reader.number<std::uint32_t>(); magic != kMagic) {
    throw Error(ErrorCode::bad_input,
                fmt::format("a rank's address starts with {:#x}, expected {:#x}; pass "
                            "UcxWorker::address() of the same version of megascale",
                            magic, kMagic));
  }
  EndpointRecord record;
  record.rank = reader.number<std::uint32_t>();
  record.host = as_string(reader.text());
  record.boot = as_string(reader.text());
  record.pid_space = reader.number<std::uint64_t>();
  record.pid = reader.number<std::int32_t>();
  record.start_ticks = reader.number<std::uint64_t>();
  record.shared_memory = reader.number<std::uint8_t>() != 0;
  record.marks_fd = reader.number<std::int32_t>();
  record.memory_fd = reader.number<std::int32_t>();
  record.memory_nbytes = reader.number<std::uint64_t>();
  const auto ucx_address = reader.text();
  record.ucx.assign(ucx_address.begin(), ucx_address.end());
  if (!reader.at_end() || record.ucx.empty())
    throw Error(ErrorCode::bad_input,
                "a rank's address has bytes after its end, or no UCX address; pass "
                "UcxWorker::address() on unchanged");
  return record;
}

bool EndpointRecord::same_host(const EndpointRecord& other) const noexcept {
  return shared_memory && other.shared_memory && !boot.empty() && boot == other.boot &&
         pid_space == other.pid_space;
}

std::string EndpointRecord::describe() const {
  return fmt::format("rank {} (process {} on host {})", rank, pid, host);
}

}  // namespace megascale::comm
