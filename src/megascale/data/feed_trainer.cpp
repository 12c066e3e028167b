#include "megascale/data/feed_trainer.h"

#include "megascale/data/prepare.h"

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
  std::int64_t file_nbytes = 0;
  const ByteSource source = open_source(input, file_nbytes);
  LineFeeder feeder(trainer);
  if (is_jsonl(input)) {
    const TextSink sink = [&](std::string_view text, bool ends) {
      feeder.feed(text);
      if (ends) feeder.end_document();
    };
    read_jsonl(source, input.string(), json_key, ByteTokenizer(), sink,
               [](const Error& problem) -> bool { throw problem; });
    return feeder.nbytes();
  }
  std::string chunk(1 << 18, '\0');
  while (const std::size_t size = source(chunk)) feeder.feed({chunk.data(), size});
  feeder.end_document();
  return feeder.nbytes();
}

}  // namespace megascale
