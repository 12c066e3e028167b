// Runs the benchmark program under mpirun through a shell, with standard error in the same pipe,
// and parses its table.
#include "megascale/study/measure/openmpi_yardstick.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <sstream>

#include "megascale/base/error.h"

namespace megascale::study {
namespace {

// Returns `word` quoted for the shell.
std::string quoted(const std::string& word) {
  std::string out = "'";
  for (const char c : word) c == '\'' ? out += "'\\''" : out += c;
  return out + "'";
}

}  // namespace

std::string default_openmpi_program() {
  std::error_code unknown;
  const auto binary = std::filesystem::read_symlink("/proc/self/exe", unknown);
  return (binary.parent_path() / "bench/bench_openmpi_collectives").string();
}

YardstickSeconds parse_yardstick(std::string_view table) {
  YardstickSeconds rows;
  std::istringstream lines{std::string(table)};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string kind;
    std::size_t nbytes = 0;
    double microseconds = 0, algbw = 0, busbw = 0;
    if (words >> kind >> nbytes >> microseconds >> algbw >> busbw)
      rows[{kind, nbytes}] = microseconds * 1e-6;
  }
  return rows;
}

YardstickSeconds run_openmpi_yardstick(const std::string& program, std::uint32_t ranks,
                                       const std::vector<std::size_t>& sizes) {
  if (::access(program.c_str(), X_OK) != 0) {
    throw Error(ErrorCode::unsupported,
                fmt::format("--openmpi: no program {}; build it with -DMEGASCALE_BENCH=ON where "
                            "libopenmpi-dev is installed",
                            program));
  }
  std::string command =
      fmt::format("mpirun {} -n {} --oversubscribe {}",
                  ::geteuid() == 0 ? "--allow-run-as-root" : "", ranks, quoted(program));
  for (const std::size_t nbytes : sizes) command += fmt::format(" {}", nbytes);
  std::string output;
  int status = -1;
  if (FILE* pipe = ::popen((command + " 2>&1").c_str(), "r"); pipe != nullptr) {
    std::array<char, 4096> part{};
    while (const std::size_t got = std::fread(part.data(), 1, part.size(), pipe))
      output.append(part.data(), got);
    status = ::pclose(pipe);
  }
  YardstickSeconds rows = parse_yardstick(output);
  if (status != 0 || rows.empty()) {
    throw Error(
        ErrorCode::unsupported,
        fmt::format("--openmpi: `{}` ended with status {} and {} rows; its output ends with:\n{}",
                    command, status, rows.size(),
                    output.substr(output.size() - std::min<std::size_t>(output.size(), 500))));
  }
  return rows;
}

}  // namespace megascale::study
