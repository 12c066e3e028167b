#include "megascale/data/tokenizers/json_model.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "megascale/data/tokenizers/bpe.h"
#include "megascale/data/tokenizers/byte_alphabet.h"
#include "megascale/data/tokenizers/unigram.h"

namespace megascale::tokenizers {
namespace {

using nlohmann::json;

// Refuses an option that is set.
void refuse_option(const JsonPlace& place, const char* key) {
  const auto found = place.value.find(key);
  if (found == place.value.end() || found->is_null() || *found == json("") || *found == json(0.0))
    return;
  place.refuse(fmt::format("{} to be absent, which is not supported", key),
               checkpoint::shown(*found));
}

std::int64_t id_of(const JsonPlace& place, const json& value) {
  if (!value.is_number_integer() || value < 0 || value >= kIdsMax) {
    place.refuse(fmt::format("ids from 0 to {}", kIdsMax - 1), checkpoint::shown(value));
  }
  return value.get<std::int64_t>();
}

// The two tokens of a merge: a list of two texts, or in older files one text with a space between.
std::pair<std::string, std::string> parts_of(const JsonPlace& place, const json& merge) {
  if (merge.is_array() && merge.size() == 2 && merge[0].is_string() && merge[1].is_string()) {
    return {merge[0].get<std::string>(), merge[1].get<std::string>()};
  }
  if (merge.is_string()) {
    const auto& text = merge.get_ref<const std::string&>();
    const std::size_t space = text.find(' ');
    if (space != std::string::npos && text.find(' ', space + 1) == std::string::npos) {
      return {text.substr(0, space), text.substr(space + 1)};
    }
  }
  place.refuse("merges of two tokens", checkpoint::shown(merge));
}

std::unique_ptr<const Model> read_bpe(const JsonPlace& place, bool byte_level,
                                      std::vector<std::string>& texts) {
  for (const char* key : {"dropout", "continuing_subword_prefix", "end_of_word_suffix"})
    refuse_option(place, key);
  const JsonPlace vocab = place.at("vocab");
  if (!vocab.value.is_object())
    vocab.refuse("tokens with their ids", checkpoint::shown(vocab.value));
  TokenTable written(vocab.value.size());  // by the texts of the file, for merges
  TokenTable tokens(vocab.value.size());   // by their bytes
  for (const auto& [text, value] : vocab.value.items()) {
    const std::int64_t id = id_of(vocab, value);
    if (static_cast<std::size_t>(id) < texts.size() && !texts[static_cast<std::size_t>(id)].empty())
      vocab.refuse("each id once", fmt::format("{} twice", id));
    put_token_text(vocab, id, text, texts);
    written.add(text, static_cast<std::int32_t>(id));
    if (!byte_level) {
      tokens.add(text, static_cast<std::int32_t>(id));
    } else if (const auto bytes = from_byte_alphabet(text)) {
      tokens.add(*bytes, static_cast<std::int32_t>(id));
    }
  }
  const json& list = checkpoint::array_member(place.value, "merges", place.source, place.where);
  MergeTable merges(list.size());
  for (std::size_t rank = 0; rank < list.size(); ++rank) {
    const auto [left, right] = parts_of(place, list[rank]);
    const std::int32_t ids[] = {written.find(left), written.find(right),
                                written.find(left + right)};
    for (const std::int32_t id : ids) {
      if (id == TokenTable::kNone) {
        place.refuse(fmt::format("the tokens of merge {} in the vocabulary", rank),
                     checkpoint::shown(list[rank]));
      }
    }
    merges.add(ids[0], ids[1], {.rank = static_cast<std::uint32_t>(rank), .result = ids[2]});
  }
  BpeOptions options{.byte_level = byte_level,
                     .ignore_merges = place.flag("ignore_merges", false),
                     .byte_fallback = place.flag("byte_fallback", false),
                     .fuse_unk = place.flag("fuse_unk", false)};
  if (place.value.contains("unk_token") && !place.value["unk_token"].is_null()) {
    const std::string unk = place.text("unk_token");
    options.unk = written.find(unk);
    if (options.unk == TokenTable::kNone)
      place.refuse("unk_token in the vocabulary", checkpoint::shown(std::string_view(unk)));
  }
  return std::make_unique<Bpe>(std::move(tokens), std::move(merges), options);
}

std::unique_ptr<const Model> read_unigram(const JsonPlace& place, bool byte_level,
                                          std::vector<std::string>& texts) {
  if (byte_level) place.refuse("BPE after the pre-tokenizer ByteLevel", "\"Unigram\"");
  std::vector<std::pair<std::string, double>> tokens;
  for (const JsonPlace& entry : place.list("vocab")) {
    const json& value = entry.value;
    if (!value.is_array() || value.size() != 2 || !value[0].is_string() || !value[1].is_number() ||
        !std::isfinite(value[1].get<double>())) {
      entry.refuse("a token with its score", checkpoint::shown(value));
    }
    put_token_text(entry, static_cast<std::int64_t>(tokens.size()),
                   value[0].get_ref<const std::string&>(), texts);
    tokens.emplace_back(value[0].get<std::string>(), value[1].get<double>());
  }
  std::int32_t unk = TokenTable::kNone;
  if (place.value.contains("unk_id") && !place.value["unk_id"].is_null()) {
    const std::size_t id = place.count("unk_id");
    if (id >= tokens.size()) place.refuse("unk_id in the vocabulary", fmt::format("{}", id));
    unk = static_cast<std::int32_t>(id);
  }
  return std::make_unique<Unigram>(tokens, unk, place.flag("byte_fallback", false));
}

}  // namespace

void put_token_text(const JsonPlace& place, std::int64_t id, std::string_view text,
                    std::vector<std::string>& texts) {
  if (id >= kIdsMax) place.refuse(fmt::format("ids below {}", kIdsMax), fmt::format("{}", id));
  const auto index = static_cast<std::size_t>(id);
  if (index >= texts.size()) texts.resize(index + 1);
  texts[index] = text;
}

std::unique_ptr<const Model> read_model(const JsonPlace& place, bool byte_level,
                                        std::vector<std::string>& texts) {
  // Files of the first versions have no type.
  const bool has_type = place.value.is_object() && place.value.contains("type");
  const std::string type = !has_type && place.value.is_object() && place.value.contains("merges")
                               ? "BPE"
                               : place.text("type");
  if (type == "BPE") return read_bpe(place, byte_level, texts);
  if (type == "Unigram") return read_unigram(place, byte_level, texts);
  place.refuse("BPE or Unigram", checkpoint::shown(std::string_view(type)));
}

}  // namespace megascale::tokenizers
