// The patterns of published tokenizers.
#include "megascale/data/tokenizers/patterns.h"

#include <algorithm>
#include <array>

namespace megascale::tokenizers {
namespace {

using SpecialToken = std::pair<std::string_view, int>;

constexpr std::string_view kGpt2 =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";
constexpr std::string_view kCl100k =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kQwen =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kO200k =
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
// DeepSeek-V3 divides three times.
constexpr std::string_view kDeepSeekDigits = R"(\p{N}{1,3})";
constexpr std::string_view kDeepSeekHan = "[一-龥぀-ゟ゠-ヿ]+";
constexpr std::string_view kDeepSeekWords =
    "[!\"#$%&'()*+,\\-./"
    ":;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+"
    "| ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+";

constexpr std::array<SpecialToken, 1> kGpt2Tokens{{{"<|endoftext|>", 50256}}};
constexpr std::array<SpecialToken, 5> kCl100kTokens{{{"<|endoftext|>", 100257},
                                                     {"<|fim_prefix|>", 100258},
                                                     {"<|fim_middle|>", 100259},
                                                     {"<|fim_suffix|>", 100260},
                                                     {"<|endofprompt|>", 100276}}};
constexpr std::array<SpecialToken, 2> kO200kTokens{
    {{"<|endoftext|>", 199999}, {"<|endofprompt|>", 200018}}};
constexpr std::array<SpecialToken, 2> kLlama3Tokens{
    {{"<|begin_of_text|>", 128000}, {"<|end_of_text|>", 128001}}};

constexpr std::array<NamedEncoding, 6> kEncodings{
    {{"gpt2", kGpt2, kGpt2Tokens, "<|endoftext|>"},
     {"r50k_base", kGpt2, kGpt2Tokens, "<|endoftext|>"},
     {"p50k_base", kGpt2, kGpt2Tokens, "<|endoftext|>"},
     {"cl100k_base", kCl100k, kCl100kTokens, "<|endoftext|>"},
     {"o200k_base", kO200k, kO200kTokens, "<|endoftext|>"},
     {"llama3", kCl100k, kLlama3Tokens, "<|end_of_text|>"}}};

}  // namespace

const std::string_view kGpt2Pattern = kGpt2;

const NamedEncoding* find_encoding(std::string_view name) noexcept {
  const auto* found = std::find_if(kEncodings.begin(), kEncodings.end(),
                                   [&](const NamedEncoding& e) { return e.name == name; });
  return found == kEncodings.end() ? nullptr : found;
}

std::string_view encoding_names() noexcept {
  return "gpt2, r50k_base, p50k_base, cl100k_base, o200k_base, llama3";
}

bool allows_cuts(std::string_view pattern) noexcept {
  return divides_words(pattern) || pattern == kDeepSeekDigits || pattern == kDeepSeekHan ||
         pattern == R"(\p{N})" || pattern == R"(\p{N}+)";
}

bool divides_words(std::string_view pattern) noexcept {
  return pattern == kGpt2 || pattern == kCl100k || pattern == kQwen || pattern == kO200k ||
         pattern == kDeepSeekWords;
}

}  // namespace megascale::tokenizers
