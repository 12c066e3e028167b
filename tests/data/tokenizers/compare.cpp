// Compares the ids of texts with those of other programs: compare_tokenizers FOLDER.
// FOLDER is what expected.mjs wrote. Texts with code points that PCRE2's Unicode does not know are
// left out and counted, since newer programs may know them; so are those that the list names. For every tokenizer the texts are also
// encoded in parts, and decoded again where the tokenizer keeps all bytes.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "megascale/base/clock.h"
#include "megascale/base/error.h"
#include "megascale/base/files.h"
#include "megascale/base/utf8.h"
#include "megascale/data/tokenizer.h"
#include "megascale/data/tokenizers/bpe_trainer.h"
#include "megascale/data/tokenizers/byte_alphabet.h"
#include "megascale/data/tokenizers/regex.h"
#include "megascale/data/tokenizers/unicode.h"

namespace {

using namespace megascale;

// The records of a file: a uint32 with their number of items, then the items of this size.
std::vector<std::string_view> records(std::string_view file, std::size_t itemsize) {
  std::vector<std::string_view> found;
  while (!file.empty()) {
    std::uint32_t count = 0;
    std::memcpy(&count, file.data(), sizeof count);
    found.push_back(file.substr(sizeof count, count * itemsize));
    file.remove_prefix(sizeof count + count * itemsize);
  }
  return found;
}

std::vector<std::int32_t> ids_of(std::string_view bytes) {
  std::vector<std::int32_t> ids(bytes.size() / sizeof(std::int32_t));
  std::memcpy(ids.data(), bytes.data(), bytes.size());
  return ids;
}

// Encodes the parts between the cuts that the tokenizer allows.
std::vector<std::int32_t> encode_in_parts(const Tokenizer& tokenizer, std::string_view text,
                                          std::size_t& parts) {
  std::vector<std::int32_t> ids;
  bool begins = true;
  const auto encode_part = [&](std::string_view part) {
    begins ? tokenizer.encode(part, ids) : tokenizer.encode_rest(part, ids);
    begins = false;
    ++parts;
  };
  for (std::size_t size = 1; size <= text.size(); size += size / 2 + 1) {
    const std::size_t cut = tokenizer.separable_prefix(text.substr(0, size));
    if (cut == 0) continue;
    encode_part(text.substr(0, cut));
    text.remove_prefix(cut);
    size = 1;
  }
  encode_part(text);
  return ids;
}

std::string shown(std::string_view text) {
  std::string line;
  for (const char c : text.substr(0, 200)) {
    const auto byte = static_cast<unsigned char>(c);
    line += byte < 0x20 || byte == 0x7f ? fmt::format("\\x{:02x}", byte) : std::string(1, c);
  }
  return line;
}

std::string shown(const Tokenizer& tokenizer, const std::vector<std::int32_t>& ids) {
  std::string line;
  for (const std::int32_t id : std::span(ids).first(std::min<std::size_t>(ids.size(), 60)))
    line += fmt::format(" {}:{}", id, shown(tokenizer.token_text(id)));
  return line;
}

struct Count {
  std::size_t equal = 0, left_out = 0, different = 0, parts = 0, parts_differ = 0, not_restored = 0;
};

// A byte-level tokenizer without a normalizer keeps every byte of valid UTF-8.
bool restores(std::string_view name) {
  return name.starts_with("gpt2") || name.starts_with("llama3") || name.starts_with("cl100k") ||
         name.starts_with("o200k") || name.starts_with("deepseek");
}

// The changes of vocabularies.mjs.
std::string changed(std::string text, std::string_view change) {
  if (change.empty()) return text;
  const auto replace_all = [&](std::string_view from, std::string_view to) {
    std::string result;
    std::size_t begin = 0;
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, begin)) {
      result.append(text, begin, at - begin).append(to);
      begin = at + from.size();
    }
    text = result.append(text, begin);
  };
  for (const std::string_view mark : {std::string_view("\n"), std::string_view("\r"),
                                      std::string_view("\0", 1), std::string_view("\xE2\x96\x81")})
    replace_all(mark, " ");
  if (change == "line") return text;
  replace_all("<", "");
  const auto two = [](char a, char b) { return a == ' ' && b == ' '; };
  text.erase(std::unique(text.begin(), text.end(), two), text.end());
  if (text.starts_with(' ')) text.erase(0, 1);
  if (text.ends_with(' ')) text.pop_back();
  return text;
}

Count compare(const Tokenizer& tokenizer, std::string_view name, const tokenizers::Regex& unlike,
              std::string_view change, const std::vector<std::string_view>& texts,
              const std::vector<std::string_view>& expected) {
  Count count;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::string text = changed(tokenizers::replace_invalid_utf8(texts[i]), change);
    if (unlike.find(text, 0)) {
      ++count.left_out;
      continue;
    }
    std::vector<std::int32_t> ids;
    tokenizer.encode(change.empty() ? texts[i] : text, ids);
    if (ids == ids_of(expected[i])) {
      ++count.equal;
    } else if (++count.different <= 3) {
      fmt::print("  {}: \"{}\"\n    expected{}\n    found   {}\n", name, shown(text),
                 shown(tokenizer, ids_of(expected[i])), shown(tokenizer, ids));
    }
    if (encode_in_parts(tokenizer, text, count.parts) != ids && ++count.parts_differ <= 3)
      fmt::print("  {}: differs in parts: \"{}\"\n", name, shown(text));
    if (restores(name) && tokenizer.decode(ids) != text && ++count.not_restored <= 3)
      fmt::print("  {}: decoded to other text: \"{}\"\n", name, shown(text));
  }
  return count;
}

// Trains on the King James text and compares the first merges. Hugging Face's trainer took its
// default size, 30,000 tokens.
bool compare_training(const std::filesystem::path& folder) {
  constexpr std::size_t kMerges = 2000;
  const std::string text = read_text(folder / "kjv.txt");
  tokenizers::BpeTrainer trainer({.vocab_size = 257 + kMerges});
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n') + 1);
    trainer.add(line);
    rest.remove_prefix(line.size());
  }
  const std::int64_t begin = monotonic_ns();
  const auto merges = trainer.train();
  const double seconds = static_cast<double>(monotonic_ns() - begin) * 1e-9;
  const auto expected = nlohmann::json::parse(read_text(folder / "kjv.json"))["model"]["merges"];
  std::size_t equal = 0;
  while (equal < merges.size() && equal < expected.size() &&
         expected[equal][0] == tokenizers::to_byte_alphabet(merges[equal].left) &&
         expected[equal][1] == tokenizers::to_byte_alphabet(merges[equal].right)) {
    ++equal;
  }
  fmt::print("training: {} of {} merges equal, in {:.2f} s\n", equal, kMerges, seconds);
  return equal == kMerges;
}

int run(const std::filesystem::path& folder) {
  const std::string corpus = read_text(folder / "corpus.bin"), list = read_text(folder / "list");
  const auto texts = records(corpus, 1);
  bool good = compare_training(folder);
  for (std::string_view rest = list; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(line.size() + 1);
    const std::size_t first = line.find('\t'), second = line.find('\t', first + 1);
    const std::string file(line.substr(first + 1, second - first - 1));
    const std::size_t third = line.find('\t', second + 1);
    const std::string_view name = line.substr(second + 1, third - second - 1);
    const std::size_t fourth = line.find('\t', third + 1);
    const std::string characters(line.substr(third + 1, fourth - third - 1));
    const tokenizers::Regex unlike(characters.empty() ? R"(\p{Cn})" : R"(\p{Cn}|)" + characters);
    const std::string ids = read_text(folder / line.substr(0, first));
    const auto expected = records(ids, sizeof(std::int32_t));
    if (expected.size() != texts.size())
      throw Error(ErrorCode::failed, "the numbers of texts differ");
    const std::int64_t begin = monotonic_ns();
    const auto tokenizer = open_tokenizer(file);
    const double seconds = static_cast<double>(monotonic_ns() - begin) * 1e-9;
    const Count count = compare(*tokenizer, name, unlike, line.substr(fourth + 1), texts, expected);
    fmt::print(
        "{}: {} texts equal, {} different, {} left out; in {} parts {} different; {} not "
        "restored; opened in {:.2f} s\n",
        name, count.equal, count.different, count.left_out, count.parts, count.parts_differ,
        count.not_restored, seconds);
    good = good && count.different + count.parts_differ + count.not_restored == 0 &&
           count.equal > texts.size() / 4;
  }
  return good ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc != 2) throw Error(ErrorCode::bad_usage, "expected: compare_tokenizers FOLDER");
    return run(argv[1]);
  } catch (const std::exception& error) {
    fmt::print("{}\n", error.what());
    return 2;
  }
}
