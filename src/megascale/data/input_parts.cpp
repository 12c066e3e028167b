// Readers collect the size of a part before they look for a place to cut. If they find none, they
// collect twice as many, so the time stays linear for an input without such a place.
#include "megascale/data/input_parts.h"

#include <algorithm>
#include <utility>

namespace megascale {
namespace {

class LineReader final : public PartReader {
 public:
  using PartReader::PartReader;

 private:
  std::size_t cut(std::string_view pending, bool at_end, InputPart& /*part*/) override {
    return at_end ? pending.size() : pending.rfind('\n') + 1;  // npos + 1 = 0
  }
};

class ItemReader final : public PartReader {
 public:
  ItemReader(ByteSource source, const PartStart& start, std::size_t nbytes)
      : PartReader(std::move(source), start), nbytes_(nbytes) {}

 private:
  std::size_t cut(std::string_view pending, bool at_end, InputPart& /*part*/) override {
    return at_end ? pending.size() : pending.size() - pending.size() % nbytes_;
  }
  std::size_t nbytes_;
};

class TextReader final : public PartReader {
 public:
  TextReader(ByteSource source, const PartStart& start, std::string separator,
             const Tokenizer& tokenizer)
      : PartReader(std::move(source), start),
        separator_(std::move(separator)),
        tokenizer_(tokenizer),
        in_document_(start.in_document) {}

 private:
  std::size_t cut(std::string_view pending, bool at_end, InputPart& part) override {
    std::size_t begin = 0;
    if (!separator_.empty()) {
      for (std::size_t end = pending.find(separator_); end != std::string_view::npos;
           end = pending.find(separator_, begin)) {
        add(pending, {begin, end}, true, part);
        begin = end + separator_.size();
      }
    }
    if (at_end) {
      add(pending, {begin, pending.size()}, true, part);
      part.in_document = false;
      return pending.size();
    }
    // The end may be the beginning of a separator.
    const std::size_t kept =
        separator_.empty() ? 0 : std::min(pending.size() - begin, separator_.size() - 1);
    const std::string_view open = pending.substr(begin, pending.size() - begin - kept);
    // White space alone is kept back: if the document has nothing else, it is left out.
    if (in_document_ || !is_blank(open)) {
      if (const std::size_t size = tokenizer_.separable_prefix(open); size > 0) {
        add(pending, {begin, begin + size}, false, part);
        begin += size;
      }
    }
    part.in_document = in_document_;
    return begin;
  }

  void add(std::string_view pending, std::pair<std::size_t, std::size_t> range, bool ends,
           InputPart& part) {
    const std::string_view text = pending.substr(range.first, range.second - range.first);
    if (ends && !in_document_ && (separator_.empty() ? text.empty() : is_blank(text))) return;
    part.pieces.push_back({range.first, range.second, !in_document_, ends});
    in_document_ = !ends;
  }

  std::string separator_;
  const Tokenizer& tokenizer_;
  bool in_document_;
};

}  // namespace

InputPart PartReader::next() {
  InputPart part;
  part.offset = offset_;
  for (std::size_t wanted = part_nbytes_;; wanted = pending_.size() * 2) {
    fill(wanted);
    const std::size_t size = cut(pending_, at_end_, part);
    if (size == 0 && !at_end_) continue;
    std::string rest = pending_.substr(size);
    pending_.resize(size);
    part.bytes = std::exchange(pending_, std::move(rest));
    part.is_last = at_end_;
    offset_ += size;
    return part;
  }
}

void PartReader::fill(std::size_t nbytes) {
  std::size_t size = pending_.size();
  if (size < nbytes) pending_.resize(nbytes);
  while (size < nbytes && !at_end_) {
    const std::size_t count = source_(std::span(pending_).subspan(size));
    at_end_ = count == 0;
    size += count;
  }
  pending_.resize(size);
}

bool is_blank(std::string_view text) noexcept {
  return text.find_first_not_of(" \t\r\n\v\f") == std::string_view::npos;
}

std::unique_ptr<PartReader> read_lines(ByteSource source, const PartStart& start) {
  return std::make_unique<LineReader>(std::move(source), start);
}

std::unique_ptr<PartReader> read_items(ByteSource source, const PartStart& start,
                                       std::size_t nbytes) {
  return std::make_unique<ItemReader>(std::move(source), start, nbytes);
}

std::unique_ptr<PartReader> read_texts(ByteSource source, const PartStart& start,
                                       std::string separator, const Tokenizer& tokenizer) {
  return std::make_unique<TextReader>(std::move(source), start, std::move(separator), tokenizer);
}

}  // namespace megascale
