#include "megascale/data/dataset_info.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <system_error>

#include "megascale/base/files.h"
#include "megascale/data/indexed_dataset.h"

namespace megascale {
namespace {

constexpr std::string_view kInfoFormat = "megascale-dataset";
constexpr std::int64_t kInfoVersion = 1;
// Of sets with a loss mask: readers that do not know it must not train on all tokens.
constexpr std::int64_t kMaskedVersion = 2;
// Of sets with pairs: readers that do not know them must not train on rejected answers.
constexpr std::int64_t kPairsVersion = 3;

}  // namespace

std::string to_text(const DatasetInfo& info) {
  const bool is_masked = !info.chat_template.empty();
  const std::int64_t version = info.has_pairs ? kPairsVersion
                               : is_masked    ? kMaskedVersion
                                              : kInfoVersion;
  return fmt::format(
      "{{\n\"format\": \"{}\",\n\"version\": {},\n\"documents\": {},\n\"tokens\": {},\n"
      "\"text_bytes\": {},\n{}\"tokenizer\": {}\n}}\n",
      kInfoFormat, version, info.documents, info.tokens,
      info.text_nbytes ? std::to_string(*info.text_nbytes) : "null",
      is_masked ? fmt::format("\"chat_template\": {},\n", nlohmann::json(info.chat_template).dump())
                : "",
      info.tokenizer ? checkpoint::to_text(*info.tokenizer) : "null");
}

DatasetInfo parse_dataset_info(std::string_view text, const std::string& file) {
  const checkpoint::JsonSource source{file, ErrorCode::bad_input};
  const nlohmann::json json = checkpoint::parse_json(text, source, 4);
  const std::string format = checkpoint::string_member(json, "format", source);
  if (format != kInfoFormat) {
    throw source.error(fmt::format("expected the format \"{}\", found \"{}\"", kInfoFormat,
                                   checkpoint::shown(std::string_view(format))));
  }
  const std::int64_t version = checkpoint::integer_member(json, "version", source);
  if (version < kInfoVersion || version > kPairsVersion) {
    throw Error(ErrorCode::unsupported, fmt::format("{}: expected version {} to {}, found {}", file,
                                                    kInfoVersion, kPairsVersion, version));
  }
  DatasetInfo info{.documents = checkpoint::integer_member(json, "documents", source),
                   .tokens = checkpoint::integer_member(json, "tokens", source)};
  if (!checkpoint::member(json, "text_bytes", source, {}).is_null())
    info.text_nbytes = checkpoint::integer_member(json, "text_bytes", source);
  info.has_pairs = version == kPairsVersion;
  if (info.has_pairs && info.documents % 2 != 0) {
    throw source.error(fmt::format(
        "expected an even number of \"documents\", two of each pair, found {}", info.documents));
  }
  if (version >= kMaskedVersion) {
    info.chat_template = checkpoint::string_member(json, "chat_template", source);
    if (info.chat_template.empty())
      throw source.error("expected the name of a template in \"chat_template\", found \"\"");
  }
  const nlohmann::json& tokenizer = checkpoint::member(json, "tokenizer", source, {});
  if (!tokenizer.is_null())
    info.tokenizer = checkpoint::parse_tokenizer_record(tokenizer, source, "tokenizer");
  return info;
}

std::optional<DatasetInfo> read_dataset_info(const std::filesystem::path& prefix,
                                             std::int64_t tokens) {
  const std::filesystem::path path = info_path(prefix);
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return std::nullopt;
  DatasetInfo info = parse_dataset_info(read_text(path), path.string());
  if (info.tokens != tokens) {
    throw Error(ErrorCode::bad_input,
                fmt::format("{}: it is of a data set of {} tokens, and {} has {}: remove it if "
                            "another program has written the data set",
                            path.string(), info.tokens, bin_path(prefix).string(), tokens));
  }
  return info;
}

}  // namespace megascale
