// Parses schedule files line by line and collects all errors with their lines, so that a user can
// correct a file in one go. Files may be damaged or of another kind: numbers are checked for range,
// and quoted text is shortened and made printable. The finished schedule is checked by validate(),
// whose defects are mapped back to lines.
#include "megascale/parallel/schedule_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>

#include "megascale/base/error.h"
#include "megascale/base/files.h"
#include "megascale/base/near_name.h"
#include "megascale/base/utf8.h"

namespace megascale::parallel {
namespace {

// An item of a schedule takes at most 13 bytes, and every stage, chunk and micro-batch has three.
constexpr std::uintmax_t kLargestFile = 40 * kLargestSchedule;
constexpr std::string_view kFirstLine = "megascale-schedule 1";
constexpr std::string_view kBlanks = " \t\r";
constexpr std::string_view kLetters = "FBW";  // indexed by Work

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

// Removes the first word from `text` and returns it; empty at the end of the text.
std::string_view take_word(std::string_view& text) {
  text = trimmed(text);
  const std::string_view word = text.substr(0, text.find_first_of(kBlanks));
  text.remove_prefix(word.size());
  return word;
}

// Quotes a text for a message: at most 40 characters, and printable whatever the bytes are.
std::string shown(std::string_view text) {
  constexpr std::size_t kLongest = 40;
  std::string result(text.substr(0, kLongest));
  std::replace_if(
      result.begin(), result.end(), [](char c) { return c < 0x20 || c > 0x7e; }, '?');
  return fmt::format("'{}{}'", result, text.size() > kLongest ? "..." : "");
}

template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// Parses an item such as "F3" or "F3/1".
std::optional<ScheduleItem> parse_item(std::string_view word) {
  const std::size_t work = word.empty() ? kLetters.npos : kLetters.find(word[0]);
  if (work == kLetters.npos) return std::nullopt;
  word.remove_prefix(1);
  const std::size_t slash = word.find('/');
  const auto micro_batch = parse_number<std::uint16_t>(word.substr(0, slash));
  const auto chunk = slash == word.npos ? std::optional<std::uint16_t>(std::uint16_t{0})
                                        : parse_number<std::uint16_t>(word.substr(slash + 1));
  if (!micro_batch || !chunk) return std::nullopt;
  return ScheduleItem{static_cast<Work>(work), *chunk, *micro_batch};
}

class FileParser {
 public:
  explicit FileParser(std::string_view file_name) : file_(file_name) {}

  Schedule parse(std::string_view text) {
    read_lines(text);
    if (has_first_line_ && assemble()) check();
    if (problems_.empty()) return std::move(schedule_);
    std::stable_sort(problems_.begin(), problems_.end(),
                     [](const Problem& a, const Problem& b) { return a.line < b.line; });
    std::vector<Error> errors;
    for (const Problem& each : problems_) {
      errors.emplace_back(ErrorCode::bad_input,
                          fmt::format("{}:{}: {}", file_, each.line, each.text));
    }
    throw join_errors(errors);
  }

 private:
  struct Problem {
    std::size_t line;
    std::string text;
  };
  struct StageLines {
    std::size_t first_line = 0;
    std::vector<ScheduleItem> items;
    std::vector<std::size_t> lines;  // the line of each item
    bool has_broken_items = false;
  };
  struct Size {
    std::string_view key;
    std::uint32_t Schedule::*field;
  };
  static constexpr std::array<Size, 3> kSizes{{{"stages", &Schedule::stages},
                                               {"chunks", &Schedule::chunks},
                                               {"micro_batches", &Schedule::micro_batches}}};

  void problem(std::size_t line, std::string text) { problems_.push_back({line, std::move(text)}); }

  void read_lines(std::string_view text) {
    std::size_t line = 0;
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      std::string_view content = text.substr(0, end);
      text.remove_prefix(std::min(end + 1, text.size()));
      content = trimmed(content.substr(0, content.find('#')));
      ++line;
      if (content.empty()) continue;
      if (has_first_line_) {
        read_line(line, content);
      } else if (content == kFirstLine) {
        has_first_line_ = true;
      } else {  // the file is something else; errors of further lines would not help
        return problem(line, fmt::format("expected '{}' as the first line, found {}", kFirstLine,
                                         shown(content)));
      }
    }
    last_line_ = std::max<std::size_t>(line, 1);
    if (!has_first_line_) problem(1, fmt::format("expected '{}', found an empty file", kFirstLine));
  }

  void read_line(std::size_t line, std::string_view rest) {
    const std::string_view key = take_word(rest);
    if (key == "stage") return read_stage(line, trimmed(rest));
    rest = trimmed(rest);
    const auto size = std::find_if(kSizes.begin(), kSizes.end(),
                                   [&](const Size& each) { return each.key == key; });
    if (size == kSizes.end() && key != "name") {
      const std::array<std::string, 5> known{"name", "stages", "chunks", "micro_batches", "stage"};
      const std::string near = nearest_name(key, known);
      return problem(
          line,
          fmt::format("expected name, stages, chunks, micro_batches or stage, "
                      "found {}{}",
                      shown(key), near.empty() ? "" : fmt::format("; did you mean {}?", near)));
    }
    const auto [first, is_new] = key_lines_.try_emplace(std::string(key), line);
    if (!is_new) {
      return problem(line, fmt::format("{} is given twice, first on line {}", key, first->second));
    }
    if (key == "name") {
      const bool is_line_of_text = !rest.empty() && valid_utf8_prefix(rest) == rest.size() &&
                                   std::none_of(rest.begin(), rest.end(), [](char c) {
                                     return static_cast<unsigned char>(c) < 0x20;
                                   });
      if (!is_line_of_text) {
        problem(line,
                fmt::format("name: expected text in UTF-8 without control characters, found {}",
                            shown(rest)));
      }
      schedule_.name = rest;
      return;
    }
    const auto number = parse_number<std::uint32_t>(rest);
    if (!number || *number == 0) {
      sizes_are_known_ = false;
      return problem(line, fmt::format("{}: expected a whole number of at least 1, found {}", key,
                                       shown(rest)));
    }
    schedule_.*(size->field) = *number;
  }

  void read_stage(std::size_t line, std::string_view rest) {
    const std::size_t colon = rest.find(':');
    const auto stage = parse_number<std::uint32_t>(trimmed(rest.substr(0, colon)));
    if (colon == rest.npos || !stage) {
      return problem(line, fmt::format("expected 'stage NUMBER: ITEMS', found {}",
                                       shown(fmt::format("stage {}", rest))));
    }
    StageLines& lines = stages_[*stage];
    if (lines.first_line == 0) lines.first_line = line;
    rest.remove_prefix(colon + 1);
    for (std::string_view word = take_word(rest); !word.empty(); word = take_word(rest)) {
      const auto item = parse_item(word);
      if (!item) {
        problem(line,
                fmt::format("expected F, B or W, a micro-batch and for chunks above 0 a slash "
                            "and the chunk, such as F3 or B0/1, found {}",
                            shown(word)));
        lines.has_broken_items = true;
        continue;
      }
      lines.items.push_back(*item);
      lines.lines.push_back(line);
    }
  }

  // Moves the stages of the file into the schedule. Returns false if the sizes are not known.
  bool assemble() {
    for (const std::string_view key : {"stages", "micro_batches"}) {
      if (key_lines_.contains(std::string(key))) continue;
      problem(last_line_, fmt::format("expected a line '{} NUMBER', found none", key));
      sizes_are_known_ = false;
    }
    if (!sizes_are_known_) return false;
    const std::string sizes =
        size_problem(schedule_.stages, schedule_.chunks, schedule_.micro_batches);
    if (!sizes.empty()) {
      problem(key_lines_.at("stages"), sizes);
      return false;
    }
    if (schedule_.name.empty()) schedule_.name = std::filesystem::path(file_).filename().string();
    schedule_.items.resize(schedule_.stages);
    for (const auto& [stage, lines] : stages_) {
      if (stage >= schedule_.stages) {
        problem(lines.first_line,
                fmt::format("expected a stage below {}, found {}", schedule_.stages, stage));
        continue;
      }
      schedule_.items[stage] = lines.items;
      schedule_.splits_weight_gradients =
          schedule_.splits_weight_gradients ||
          std::any_of(lines.items.begin(), lines.items.end(),
                      [](const ScheduleItem& item) { return item.work == Work::weight_gradient; });
    }
    return true;
  }

  void check() {
    for (const ScheduleProblem& found : validate(schedule_)) {
      const auto lines = stages_.find(found.stage);
      std::size_t line = key_lines_.at("stages");  // for a stage without a line
      if (lines != stages_.end()) {
        const bool is_whole = found.item == ScheduleProblem::kNoItem;
        // The items that seem to be missing may be those that could not be read.
        if (is_whole && lines->second.has_broken_items) continue;
        line = is_whole ? lines->second.first_line : lines->second.lines[found.item];
      }
      problem(line, to_string(found));
    }
  }

  std::string file_;
  Schedule schedule_;
  bool has_first_line_ = false;
  bool sizes_are_known_ = true;
  std::size_t last_line_ = 1;
  std::map<std::string, std::size_t> key_lines_;  // the line of each key
  std::map<std::uint32_t, StageLines> stages_;
  std::vector<Problem> problems_;
};

}  // namespace

Schedule parse_schedule(std::string_view text, std::string_view file_name) {
  return FileParser(file_name).parse(text);
}

Schedule read_schedule(const std::filesystem::path& file) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(file, error);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    throw Error(
        ErrorCode::bad_input,
        fmt::format("{}: expected a regular file with a pipeline schedule, found {}", file.string(),
                    std::filesystem::is_fifo(status) ? "a FIFO" : "a directory or a device"));
  }
  const std::uintmax_t nbytes = std::filesystem::file_size(file, error);
  if (!error && nbytes > kLargestFile) {
    throw Error(ErrorCode::bad_input,
                fmt::format("{}: expected a pipeline schedule of at most {} bytes, found {}",
                            file.string(), kLargestFile, nbytes));
  }
  return parse_schedule(read_text(file), file.string());
}

std::string to_text(const Schedule& schedule) {
  std::string text =
      fmt::format("{}\nname {}\nstages {}\nchunks {}\nmicro_batches {}\n", kFirstLine,
                  schedule.name, schedule.stages, schedule.chunks, schedule.micro_batches);
  for (std::uint32_t stage = 0; stage < schedule.stages; ++stage) {
    text += fmt::format("stage {}:", stage);
    for (const ScheduleItem& item : schedule.items[stage]) {
      text += fmt::format(" {}{}", kLetters[static_cast<std::size_t>(item.work)], item.micro_batch);
      if (schedule.chunks > 1) text += fmt::format("/{}", item.chunk);
    }
    text += '\n';
  }
  return text;
}

}  // namespace megascale::parallel
