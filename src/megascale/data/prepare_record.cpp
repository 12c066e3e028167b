#include "megascale/data/prepare_record.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "megascale/checkpoint/json_text.h"

namespace megascale {
namespace {

using nlohmann::json;

constexpr std::string_view kRecordFormat = "megascale-prepare-1";

bool flag_member(const json& object, const char* key, const checkpoint::JsonSource& source,
                 std::string_view where) {
  const json& value = checkpoint::member(object, key, source, where);
  if (value.is_boolean()) return value.get<bool>();
  throw source.error(fmt::format("expected \"{}\" in {} to be true or false", key, where));
}

InputPlace parse_place(const json& object, const checkpoint::JsonSource& source) {
  const auto number = [&](const char* key) {
    return checkpoint::integer_member(object, key, source, "place");
  };
  return {.input = static_cast<std::size_t>(number("input")),
          .offset = static_cast<std::uint64_t>(number("offset")),
          .lines = number("lines"),
          .in_document = flag_member(object, "in_document", source, "place"),
          .has_content = flag_member(object, "has_content", source, "place")};
}

WriterState parse_output(const json& object, const checkpoint::JsonSource& source) {
  const auto number = [&](const char* key) {
    return checkpoint::integer_member(object, key, source, "output");
  };
  WriterState state{.tokens = number("tokens"),
                    .documents = number("documents"),
                    .sequences = number("sequences"),
                    .open_tokens = number("open_tokens"),
                    .document_sequences = number("document_sequences")};
  for (const json& sequence : checkpoint::array_member(object, "continued", source, "output")) {
    if (!sequence.is_number_unsigned() || sequence.get<std::uint64_t>() > INT64_MAX)
      throw source.error("expected numbers of sequences in \"continued\" in output");
    state.continued.push_back(sequence.get<std::int64_t>());
  }
  state.tokens_digest = checkpoint::string_member(object, "tokens_digest", source, "output");
  state.lengths_digest = checkpoint::string_member(object, "lengths_digest", source, "output");
  if (object.contains("loss_mask_digest")) {
    state.loss_mask_digest =
        checkpoint::string_member(object, "loss_mask_digest", source, "output");
  }
  return state;
}

}  // namespace

std::filesystem::path record_path(const std::filesystem::path& prefix) {
  return std::filesystem::path(prefix).concat(".prepare.json");
}

std::string to_text(const PrepareRecord& record) {
  json inputs = json::array();
  for (const InputIdentity& input : record.inputs) {
    inputs.push_back(
        {{"path", input.path}, {"nbytes", input.nbytes}, {"modified_ns", input.modified_ns}});
  }
  const InputPlace& place = record.place;
  const WriterState& output = record.output;
  json body{{"format", kRecordFormat},
            {"settings", record.settings},
            {"inputs", inputs},
            {"place",
             {{"input", place.input},
              {"offset", place.offset},
              {"lines", place.lines},
              {"in_document", place.in_document},
              {"has_content", place.has_content}}},
            {"output",
             {{"tokens", output.tokens},
              {"documents", output.documents},
              {"sequences", output.sequences},
              {"open_tokens", output.open_tokens},
              {"document_sequences", output.document_sequences},
              {"continued", output.continued},
              {"tokens_digest", output.tokens_digest},
              {"lengths_digest", output.lengths_digest}}},
            {"text_bytes", record.text_nbytes},
            {"learned_tokens", record.learned_tokens}};
  if (!output.loss_mask_digest.empty())
    body["output"]["loss_mask_digest"] = output.loss_mask_digest;
  return body.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

PrepareRecord parse_prepare_record(std::string_view text, const std::string& file) {
  const checkpoint::JsonSource source{file};
  const json body = checkpoint::parse_json(text, source, 4);
  const std::string format = checkpoint::string_member(body, "format", source);
  if (format != kRecordFormat) {
    throw source.error(fmt::format("expected the format \"{}\", found \"{}\"", kRecordFormat,
                                   checkpoint::shown(std::string_view(format))));
  }
  PrepareRecord record;
  const json& settings = checkpoint::member(body, "settings", source, {});
  if (!settings.is_object()) throw source.error("expected \"settings\" to be an object");
  for (const auto& [key, value] : settings.items())
    record.settings[key] = checkpoint::string_member(settings, key.c_str(), source, "settings");
  for (const json& input : checkpoint::array_member(body, "inputs", source)) {
    record.inputs.push_back(
        {.path = checkpoint::string_member(input, "path", source, "inputs"),
         .nbytes = checkpoint::integer_member(input, "nbytes", source, "inputs"),
         .modified_ns =
             checkpoint::integer_member(input, "modified_ns", source, "inputs", INT64_MIN)});
  }
  record.place = parse_place(checkpoint::member(body, "place", source, {}), source);
  if (record.place.input >= record.inputs.size())
    throw source.error("expected a place in one of the inputs");
  record.output = parse_output(checkpoint::member(body, "output", source, {}), source);
  record.text_nbytes = checkpoint::integer_member(body, "text_bytes", source, {}, -1);
  if (body.contains("learned_tokens"))  // records of former versions lack it
    record.learned_tokens = checkpoint::integer_member(body, "learned_tokens", source);
  return record;
}

std::string difference(const PrepareRecord& before, const PrepareRecord& now) {
  std::vector<std::string> all;
  for (const auto& [key, value] : now.settings) {
    const auto old = before.settings.find(key);
    const std::string was = old == before.settings.end() ? "" : old->second;
    if (was != value) all.push_back(fmt::format("{} was \"{}\" and is \"{}\"", key, was, value));
  }
  if (before.inputs.size() != now.inputs.size()) {
    all.push_back(
        fmt::format("there were {} inputs and are {}", before.inputs.size(), now.inputs.size()));
  }
  for (std::size_t i = 0; i < std::min(before.inputs.size(), now.inputs.size()); ++i) {
    const InputIdentity &was = before.inputs[i], &is = now.inputs[i];
    if (was.path != is.path) {
      all.push_back(fmt::format("input {} was {} and is {}", i + 1, was.path, is.path));
    } else if (was.nbytes != is.nbytes) {
      all.push_back(fmt::format("{} had {} bytes and has {}", is.path, was.nbytes, is.nbytes));
    } else if (was != is) {
      all.push_back(fmt::format("{} was written again", is.path));
    }
  }
  return fmt::format("{}", fmt::join(all, "; "));
}

}  // namespace megascale
