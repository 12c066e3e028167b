#include "megascale/serve/step_numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <iterator>

namespace megascale::serve {
namespace {

using observe::LaneTime;
using observe::StepTimes;

constexpr std::array<std::string_view, 6> kTimes{"step",   "compute",   "exposed_comm",
                                                 "bubble", "data_wait", "other"};
constexpr std::array kTimeMembers{&StepTimes::step,         &StepTimes::compute,
                                  &StepTimes::exposed_comm, &StepTimes::bubble,
                                  &StepTimes::data_wait,    &StepTimes::other};
constexpr std::array<std::string_view, 4> kLaneParts{"busy", "hidden", "partner", "late"};
constexpr std::array kLaneMembers{&LaneTime::busy, &LaneTime::hidden, &LaneTime::partner,
                                  &LaneTime::late};
constexpr std::array<std::string_view, 4> kCores{"needed", "wait", "transfer_wait", "input_wait"};
constexpr std::array kCoreMembers{&observe::RankStep::needed, &observe::RankStep::core_wait,
                                  &observe::RankStep::transfer_core_wait,
                                  &observe::RankStep::input_core_wait};
constexpr std::array<std::string_view, 3> kTaskParts{"task", "cause", "seconds"};
constexpr std::string_view kPhase = "phase.", kLane = "lane.", kOp = "op.", kMoving = "moving.",
                           kCore = "cores.", kWorst = "worst.";
constexpr std::size_t kMostCommunicators = 4096, kMostWorst = 64;
constexpr double kMostTaskNumber = 1 << 24;  // float32 holds whole numbers up to this one

// Removes `begin` from the text. Returns false if the text does not begin so.
bool take(std::string_view& text, std::string_view begin) {
  if (!text.starts_with(begin)) return false;
  text.remove_prefix(begin.size());
  return true;
}

class Writer {
 public:
  void add(std::string_view group, std::string_view name, double value) {
    if (!result_.names.empty()) result_.names += '\n';
    result_.names += group;
    result_.names += name;
    const auto number = static_cast<float>(value);
    const char* bytes = reinterpret_cast<const char*>(&number);
    result_.numbers.append(bytes, sizeof number);
  }
  [[nodiscard]] StepNumbers take() && { return std::move(result_); }

 private:
  StepNumbers result_;
};

// Removes a number below `most` from the text.
std::optional<std::size_t> take_number(std::string_view& text, std::size_t most) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number >= most) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

template <std::size_t n>
std::size_t index_in(const std::array<std::string_view, n>& names, std::string_view name) {
  return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

}  // namespace

StepNumbers to_numbers(const RankStepEntry& entry) {
  Writer writer;
  for (std::size_t i = 0; i < kTimes.size(); ++i)
    writer.add("", kTimes[i], entry.numbers.times.*kTimeMembers[i]);
  for (std::size_t p = 0; p < observe::kPhaseCount; ++p) {
    if (entry.numbers.phases[p] != 0) {
      writer.add(kPhase, observe::to_string(static_cast<graph::Phase>(p)), entry.numbers.phases[p]);
    }
  }
  for (std::size_t l = 0; l < graph::kLaneCount; ++l) {
    const std::string_view lane = graph::to_string(static_cast<graph::Lane>(l));
    for (std::size_t part = 0; part < kLaneParts.size(); ++part) {
      const double value = entry.numbers.lanes[l].*kLaneMembers[part];
      if (value != 0) writer.add(kLane, fmt::format("{}.{}", lane, kLaneParts[part]), value);
    }
  }
  // All of them, since their number tells that of the communicators.
  for (std::size_t c = 0; c < entry.moving.size(); ++c)
    writer.add(kMoving, fmt::format("{}", c), entry.moving[c]);
  for (std::size_t c = 0; c < kCores.size(); ++c) {
    const double value = entry.numbers.*kCoreMembers[c];
    if (value != 0) writer.add(kCore, kCores[c], value);
  }
  for (std::size_t i = 0; i < std::min(entry.worst.size(), kMostWorst); ++i) {
    const observe::WorstTask& task = entry.worst[i];
    const std::array values{static_cast<double>(task.task), static_cast<double>(task.cause),
                            task.seconds};
    for (std::size_t part = 0; part < kTaskParts.size(); ++part)
      writer.add(kWorst, fmt::format("{}.{}", i, kTaskParts[part]), values[part]);
  }
  for (const auto& [op, seconds] : entry.numbers.times.by_op) writer.add(kOp, op, seconds);
  return std::move(writer).take();
}

StepForm::Place StepForm::place_of(std::string_view name) {
  if (const std::size_t time = index_in(kTimes, name); time < kTimes.size())
    return {.kind = Kind::time, .index = time, .op = {}};
  if (take(name, kOp)) return {.kind = Kind::op, .op = std::string(name)};
  if (take(name, kPhase)) {
    for (std::size_t p = 0; p < observe::kPhaseCount; ++p)
      if (name == observe::to_string(static_cast<graph::Phase>(p)))
        return {.kind = Kind::phase, .index = p, .op = {}};
  } else if (take(name, kLane)) {
    const std::size_t dot = std::min(name.find('.'), name.size());
    const std::size_t part = index_in(kLaneParts, name.substr(std::min(dot + 1, name.size())));
    for (std::size_t l = 0; l < graph::kLaneCount; ++l)
      if (part < kLaneParts.size() &&
          name.substr(0, dot) == graph::to_string(static_cast<graph::Lane>(l)))
        return {.kind = Kind::lane, .index = l, .part = part, .op = {}};
  } else if (take(name, kMoving)) {
    const auto index = take_number(name, kMostCommunicators);
    if (index && name.empty()) return {.kind = Kind::moving, .index = *index, .op = {}};
  } else if (take(name, kCore)) {
    if (const std::size_t index = index_in(kCores, name); index < kCores.size())
      return {.kind = Kind::cores, .index = index, .op = {}};
  } else if (take(name, kWorst)) {
    const auto index = take_number(name, kMostWorst);
    const std::size_t part = take(name, ".") ? index_in(kTaskParts, name) : kTaskParts.size();
    if (index && part < kTaskParts.size())
      return {.kind = Kind::worst, .index = *index, .part = part, .op = {}};
  }
  return {};
}

StepForm::StepForm(std::string_view names) {
  while (true) {
    const std::size_t end = std::min(names.find('\n'), names.size());
    places_.push_back(place_of(names.substr(0, end)));
    if (places_.back().kind == Kind::moving)
      communicators_ = std::max(communicators_, places_.back().index + 1);
    if (places_.back().kind == Kind::worst) worst_ = std::max(worst_, places_.back().index + 1);
    if (end == names.size()) break;
    names.remove_prefix(end + 1);
  }
}

std::optional<RankStepEntry> StepForm::read(std::string_view numbers) const {
  if (numbers.size() != places_.size() * sizeof(float)) return std::nullopt;
  std::optional<RankStepEntry> entry(std::in_place);
  entry->moving.assign(communicators_, 0.0);
  std::vector<std::array<double, kTaskParts.size()>> worst(worst_, {-1, -1, 0});
  observe::RankStep& to = entry->numbers;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    float number = 0;
    std::memcpy(&number, numbers.data() + i * sizeof number, sizeof number);
    const Place& place = places_[i];
    const double value = std::isfinite(number) ? static_cast<double>(number) : 0.0;
    switch (place.kind) {
      case Kind::unknown:
        break;
      case Kind::time:
        to.times.*kTimeMembers[place.index] = value;
        break;
      case Kind::phase:
        to.phases[place.index] = value;
        break;
      case Kind::lane:
        to.lanes[place.index].*kLaneMembers[place.part] = value;
        break;
      case Kind::moving:
        entry->moving[place.index] = value;
        break;
      case Kind::cores:
        to.*kCoreMembers[place.index] = value;
        break;
      case Kind::worst:
        worst[place.index][place.part] = value;
        break;
      case Kind::op:
        to.times.by_op[place.op] = value;
        break;
    }
  }
  for (const auto& [task, cause, seconds] : worst) {
    if (task < 0 || task >= kMostTaskNumber || cause < 0 || cause >= observe::kTaskCauses) continue;
    entry->worst.push_back({.task = static_cast<std::uint32_t>(task),
                            .cause = static_cast<observe::TaskCause>(cause),
                            .seconds = seconds});
  }
  return entry;
}

}  // namespace megascale::serve
