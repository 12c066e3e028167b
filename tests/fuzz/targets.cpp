#include "fuzz/targets.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "megascale/base/error.h"
#include "megascale/config/load.h"
#include "megascale/data/indexed_dataset.h"
#include "megascale/parallel/schedule_file.h"
#include "megascale/parallel/stage_events.h"

namespace megascale::fuzz {
namespace {

bool accepts(std::string_view text, std::span<const std::string> overrides) {
  Config config;
  try {
    config = parse_config(text, "fuzz.toml", overrides);
  } catch (const Error& error) {
    MEGASCALE_CHECK(error.code() == ErrorCode::bad_usage && !error.message().empty(),
                    error.message());
    return false;
  }
  MEGASCALE_CHECK(validate(config).empty(), "what was accepted is valid");
  MEGASCALE_CHECK(parse_config(to_toml(config), "again.toml") == config,
                  "the text of a configuration reads back");
  return true;
}

}  // namespace

bool config(std::span<const std::byte> input) { return accepts(as_text(input), {}); }

bool config_override(std::span<const std::byte> input) {
  const std::string text(as_text(input));
  return accepts("", std::span(&text, 1));
}

bool index(std::span<const std::byte> input) {
  std::uint32_t bin_nbytes = 0;
  if (input.size() < sizeof bin_nbytes) return false;
  std::memcpy(&bin_nbytes, input.data(), sizeof bin_nbytes);
  // An allocation of the exact size, so that the address sanitizer sees a read past the end.
  const std::vector<std::byte> idx(input.begin() + sizeof bin_nbytes, input.end());
  try {
    const DatasetIndex index(idx, bin_nbytes, "fuzz.idx");
    MEGASCALE_CHECK(
        static_cast<std::uint64_t>(index.tokens()) * itemsize(index.token_type()) == bin_nbytes,
        "all tokens");
    std::int64_t last = 0;
    for (std::int64_t d = 0; d <= index.documents(); ++d) {
      MEGASCALE_CHECK(index.document_start(d) >= last && index.document_start(d) <= index.tokens(),
                      "documents rise");
      last = index.document_start(d);
      MEGASCALE_CHECK(index.document_start(index.first_document_from(last)) == last,
                      "a document is found");
    }
    MEGASCALE_CHECK(index.document_start(0) == 0 && last == index.tokens(),
                    "documents cover the tokens");
    return true;
  } catch (const Error& error) {
    MEGASCALE_CHECK(error.message().starts_with("fuzz.idx: "), error.message());
    return false;
  }
}

bool schedule(std::span<const std::byte> input) {
  parallel::Schedule schedule;
  try {
    schedule = parallel::parse_schedule(as_text(input), "fuzz.schedule");
  } catch (const Error& error) {
    MEGASCALE_CHECK(
        error.code() == ErrorCode::bad_input && error.message().starts_with("fuzz.schedule:"),
        error.message());
    return false;
  }
  MEGASCALE_CHECK(parallel::validate(schedule).empty(), "what was accepted is valid");
  MEGASCALE_CHECK(parallel::parse_schedule(parallel::to_text(schedule), "again") == schedule,
                  "the text of a schedule reads back");
  const auto events = parallel::events(schedule);
  for (std::uint32_t stage = 0; stage < schedule.stages; ++stage) {
    const auto work = std::count_if(events[stage].begin(), events[stage].end(), [](const auto& e) {
      return e.kind == parallel::StageEvent::Kind::work;
    });
    MEGASCALE_CHECK(static_cast<std::size_t>(work) == schedule.items[stage].size(), "all items");
  }
  return true;
}

}  // namespace megascale::fuzz
