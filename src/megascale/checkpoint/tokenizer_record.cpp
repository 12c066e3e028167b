#include "megascale/checkpoint/tokenizer_record.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace megascale::checkpoint {

std::string describe(const TokenizerRecord& record) {
  return fmt::format("\"{}\" (fingerprint {})", record.name, record.fingerprint);
}

std::string to_text(const TokenizerRecord& record) {
  nlohmann::ordered_json json{{"name", record.name},
                              {"fingerprint", record.fingerprint},
                              {"vocab_size", record.vocab_size},
                              {"eod", nullptr}};
  if (record.eod) json["eod"] = *record.eod;
  for (const TokenizerFile& file : record.files) {
    json["files"].push_back(
        {{"file", file.name}, {"nbytes", file.nbytes}, {"digest", file.digest}});
  }
  // A path need not be UTF-8. It is for messages only, so a replacement does no harm.
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

TokenizerRecord parse_tokenizer_record(const nlohmann::json& json, const JsonSource& source,
                                       std::string_view where) {
  TokenizerRecord record;
  record.name = string_member(json, "name", source, where);
  record.fingerprint = string_member(json, "fingerprint", source, where);
  record.vocab_size = integer_member(json, "vocab_size", source, where, 1);
  if (!member(json, "eod", source, where).is_null())
    record.eod = integer_member(json, "eod", source, where);
  if (!json.contains("files")) return record;
  for (const nlohmann::json& entry : array_member(json, "files", source, where)) {
    TokenizerFile file{.name = string_member(entry, "file", source, where)};
    if (!is_plain_file_name(file.name)) {
      throw source.error(fmt::format("expected the name of a file in this directory, found \"{}\"",
                                     shown(std::string_view(file.name))));
    }
    file.nbytes = static_cast<std::uint64_t>(integer_member(entry, "nbytes", source, where));
    file.digest = string_member(entry, "digest", source, where);
    record.files.push_back(std::move(file));
  }
  return record;
}

bool is_plain_file_name(std::string_view name) noexcept {
  return !name.empty() && name.front() != '.' &&
         name.find_first_of(std::string_view("/\0", 2)) == std::string_view::npos;
}

}  // namespace megascale::checkpoint
