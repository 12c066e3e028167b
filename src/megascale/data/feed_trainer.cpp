#include "megascale/data/feed_trainer.h"

#include <fmt/format.h>

#include "megascale/data/input_format.h"
#include "megascale/data/input_reader.h"
#include "megascale/data/json_lines.h"

namespace megascale {
namespace {

// Passes a text that arrives in pieces to the trainer line by line.
class LineFeeder {
 public:
  explicit LineFeeder(tokenizers::BpeTrainer& trainer) : trainer_(trainer) {}
  void feed(std::string_view piece) {
    nbytes_ += static_cast<std::int64_t>(piece.size());
    for (std::size_t end = piece.find('\n'); end != std::string_view::npos;
         end = piece.find('\n')) {
      line_ += piece.substr(0, end + 1);
      trainer_.add(line_);
      line_.clear();
      piece.remove_prefix(end + 1);
    }
    line_ += piece;
  }
  void end_document() {
    trainer_.add(line_);
    line_.clear();
  }
  [[nodiscard]] std::int64_t nbytes() const { return nbytes_; }

 private:
  tokenizers::BpeTrainer& trainer_;
  std::string line_;
  std::int64_t nbytes_ = 0;
};

}  // namespace

std::int64_t feed_trainer(const std::filesystem::path& input, const std::string& json_key,
                          tokenizers::BpeTrainer& trainer) {
  LineFeeder feeder(trainer);
  if (format_of(input, InputFormat::automatic) != InputFormat::jsonl) {
    const ByteSource source = open_source(input);
    std::string chunk(1 << 18, '\0');
    while (const std::size_t size = source(chunk)) feeder.feed({chunk.data(), size});
    feeder.end_document();
    return feeder.nbytes();
  }
  std::int64_t before = 0;  // lines in earlier parts
  const auto fail = [&](std::int64_t line, const Error& error) -> bool {
    throw Error(error.code(),
                fmt::format("{}:{}: {}", input.string(), before + line + 1, error.message()));
  };
  const auto take = [&](std::int64_t line, const JsonDocument& document) {
    const auto* text = std::get_if<std::string>(&document);
    if (text == nullptr)
      fail(line, Error(ErrorCode::bad_input, "expected a text, found token ids"));
    feeder.feed(*text);
    feeder.end_document();
  };
  const ByteTokenizer bytes;
  const auto reader = read_lines(open_source(input), {});
  for (bool is_last = false; !is_last;) {
    const InputPart part = reader->next();
    before += read_json_lines(part.bytes,
                              {.key = json_key, .tokenizer = bytes, .sink = take, .problem = fail});
    is_last = part.is_last;
  }
  if (feeder.nbytes() == 0) {
    throw Error(ErrorCode::bad_input,
                fmt::format("{}: expected lines of JSON, found none", input.string()));
  }
  return feeder.nbytes();
}

}  // namespace megascale
