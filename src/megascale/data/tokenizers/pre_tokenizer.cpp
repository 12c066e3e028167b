// Divides a text step by step. A piece goes through all steps before the next piece is looked for,
// so that no list of pieces is needed.
#include "megascale/data/tokenizers/pre_tokenizer.h"

#include "megascale/data/tokenizers/unicode.h"

namespace megascale::tokenizers {
namespace {

// Joins segments, which are matches and what lies between them, to pieces.
template <class Emit>
class SegmentJoiner {
 public:
  SegmentJoiner(SplitBehavior behavior, const Emit& emit) : behavior_(behavior), emit_(emit) {}

  void add(TextRange segment, bool is_match) {
    if (segment.begin == segment.end) return;
    if (behavior_ == SplitBehavior::removed) {
      if (!is_match) emit_(segment);
      return;
    }
    const bool joins = has_open_ && joins_open(is_match);
    if (joins) {
      open_.end = segment.end;
    } else {
      flush();
      open_ = segment;
    }
    has_open_ = true;
    open_is_match_ = is_match;
  }
  void flush() {
    if (has_open_) emit_(open_);
    has_open_ = false;
  }

 private:
  [[nodiscard]] bool joins_open(bool is_match) const {
    switch (behavior_) {
      case SplitBehavior::merged_with_previous:
        return is_match && !open_is_match_;
      case SplitBehavior::merged_with_next:
        return !is_match && open_is_match_;
      case SplitBehavior::contiguous:
        return is_match == open_is_match_;
      default:
        return false;
    }
  }
  SplitBehavior behavior_;
  const Emit& emit_;
  TextRange open_;
  bool has_open_ = false, open_is_match_ = false;
};

template <class Emit>
void split(const Split& step, std::string_view text, const Emit& emit) {
  SegmentJoiner joiner(step.behavior, emit);
  std::size_t at = 0, from = 0;  // the end of the last match; where the next is looked for
  while (from < text.size()) {
    const auto match = step.pattern.find(text, from);
    if (!match) break;
    if (match->begin == match->end) {  // an empty match divides nothing
      if (match->end == text.size()) break;
      from = match->end + utf8_size(text[match->end]);
      continue;
    }
    joiner.add({at, match->begin}, step.inverted);
    joiner.add(*match, !step.inverted);
    at = from = match->end;
  }
  joiner.add({at, text.size()}, step.inverted);
  joiner.flush();
}

std::string with_marks(const Metaspace& step, std::string_view text, bool is_first) {
  std::string marked;
  marked.reserve(text.size() + text.size() / 2 + step.mark.size());
  const bool has_prefix = step.prefix == Metaspace::Prefix::always ||
                          (step.prefix == Metaspace::Prefix::first && is_first);
  if (has_prefix && !text.starts_with(' ') && !text.starts_with(step.mark)) marked = step.mark;
  for (const char c : text) {
    if (c == ' ') {
      marked += step.mark;
    } else {
      marked += c;
    }
  }
  return marked;
}

}  // namespace

void PreTokenizer::run(std::string_view text, bool is_first, const Sink& sink) const {
  if (!text.empty()) run_from(0, text, is_first, sink);
}

void PreTokenizer::run_from(std::size_t step, std::string_view text, bool is_first,
                            const Sink& sink) const {
  if (step == steps_.size()) return sink(text, is_first);
  if (const auto* divides = std::get_if<Split>(&steps_[step])) {
    split(*divides, text, [&](TextRange piece) {
      run_from(step + 1, piece.of(text), is_first && piece.begin == 0, sink);
    });
  } else if (const auto* marks = std::get_if<Metaspace>(&steps_[step])) {
    run_from(step + 1, with_marks(*marks, text, is_first), is_first, sink);
  } else if (text.starts_with(' ')) {  // PrefixSpace
    run_from(step + 1, text, is_first, sink);
  } else {
    std::string spaced(1, ' ');
    spaced += text;
    run_from(step + 1, spaced, is_first, sink);
  }
}

}  // namespace megascale::tokenizers
