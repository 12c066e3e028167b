#ifndef MEGASCALE_DATA_PREPARE_RECORD_H_
#define MEGASCALE_DATA_PREPARE_RECORD_H_

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "megascale/data/indexed_writer.h"

// The file PREFIX.prepare.json of a preparation that has not finished. A later one with the same
// inputs and options goes on from it.
namespace megascale {

// An input as it was when the preparation began.
struct InputIdentity {
  std::string path;  // absolute
  std::int64_t nbytes = 0;
  std::int64_t modified_ns = 0;  // time of its last change
  bool operator==(const InputIdentity&) const = default;
};

// The place in the inputs up to which the output holds the tokens.
struct InputPlace {
  std::size_t input = 0;     // number of the input
  std::uint64_t offset = 0;  // byte in it
  std::int64_t lines = 0;    // before the offset
  bool in_document = false;  // a text goes on there
  bool has_content = false;  // a document of this input was found
  bool operator==(const InputPlace&) const = default;
};

struct PrepareRecord {
  // What decides the output beside the inputs: name and value of each option.
  std::map<std::string, std::string> settings;
  std::vector<InputIdentity> inputs;
  InputPlace place;
  WriterState output;
  std::int64_t text_nbytes = 0;     // of the documents; -1: some of them were ids
  std::int64_t learned_tokens = 0;  // of conversations: the tokens that the loss counts
  bool operator==(const PrepareRecord&) const = default;
};

[[nodiscard]] std::filesystem::path record_path(const std::filesystem::path& prefix);
[[nodiscard]] std::string to_text(const PrepareRecord& record);
// `file` is named in messages. Throws Error (corrupt_data).
[[nodiscard]] PrepareRecord parse_prepare_record(std::string_view text, const std::string& file);
// Returns the differences between the options and inputs of two preparations, in words, or an empty
// text.
[[nodiscard]] std::string difference(const PrepareRecord& before, const PrepareRecord& now);

}  // namespace megascale

#endif  // MEGASCALE_DATA_PREPARE_RECORD_H_
