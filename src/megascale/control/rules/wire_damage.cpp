// Rule wire_damage: a message between two ranks was changed on the way (parallel.wire_checksums).
//
// Its receiver says so on stderr and ends, and so do the other ranks, with the same words. None of
// them is the cause: the line names sender and receiver, and the fault lies between the two or in
// the memory of their hosts.
#include <fmt/format.h>

#include "megascale/control/rules/rule.h"

namespace megascale::control {
namespace {

constexpr std::string_view kBegin = "a message of ", kEnd = " was changed on the way";

// Returns "a message of rank 1 to rank 0 was changed on the way".
std::string clause_of(std::string_view line) {
  const std::size_t end = line.find(kEnd);
  const std::size_t begin = line.rfind(kBegin, end);
  if (begin == std::string_view::npos) return "a message was changed on the way";
  return std::string(line.substr(begin, end + kEnd.size() - begin));
}

}  // namespace

std::optional<Verdict> wire_damage(const JobSight& sight) {
  const auto told = told_line(sight, "wire");
  if (!told) return std::nullopt;
  return Verdict{.rule = "wire_damage",
                 .step = told->steps_done,
                 .what = clause_of(told->line),
                 .evidence = fmt::format("rank {}: {}", told->rank, told->line)};
}

}  // namespace megascale::control
