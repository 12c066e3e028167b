#include <string>
#include <vector>

#include "fuzz/targets.h"
#include "megascale/base/error.h"
#include "megascale/data/tokenizers/tiktoken.h"
#include "megascale/data/tokenizers/tokenizer_json.h"

namespace megascale::fuzz {
namespace {

constexpr std::string_view kText =
    " The 3 caf\u00E9s\n\n\u4E2D\u6587 <|endoftext|> \U0001F600x  aaaa'll";

void check_bad_input(const Error& error) {
  MEGASCALE_CHECK(error.code() == ErrorCode::bad_input && !error.message().empty(),
                  error.message());
}

// Encodes and decodes; a text may be refused.
void use(const Tokenizer& tokenizer, std::string_view text) {
  try {
    std::vector<std::int32_t> ids;
    tokenizer.encode(text, ids);
    for (const std::int32_t id : ids)
      MEGASCALE_CHECK(id >= 0 && id < tokenizer.vocab_size(), "an id of the vocabulary");
    MEGASCALE_CHECK(tokenizer.separable_prefix(text) <= text.size(), "a cut inside of the text");
    (void)tokenizer.decode(ids);
  } catch (const Error& error) {
    check_bad_input(error);
  }
}

}  // namespace

bool tokenizer_json(std::span<const std::byte> input) {
  try {
    const auto tokenizer = tokenizers::read_tokenizer_json(as_text(input), "", "fuzz.json");
    MEGASCALE_CHECK(tokenizer->vocab_size() > 0 && !tokenizer->fingerprint().empty(), "tokens");
    use(*tokenizer, kText);
    use(*tokenizer, as_text(input).substr(0, 300));
    return true;
  } catch (const Error& error) {
    check_bad_input(error);
    return false;
  }
}

bool rank_file(std::span<const std::byte> input) {
  try {
    const auto tokenizer = tokenizers::read_tiktoken(as_text(input), "gpt2", "fuzz.tiktoken");
    std::vector<std::int32_t> ids;
    tokenizer->encode(kText, ids);
    MEGASCALE_CHECK(tokenizer->decode(ids) == kText, "the text comes back");
    return true;
  } catch (const Error& error) {
    check_bad_input(error);
    return false;
  }
}

}  // namespace megascale::fuzz
