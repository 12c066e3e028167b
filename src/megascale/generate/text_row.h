#ifndef MEGASCALE_GENERATE_TEXT_ROW_H_
#define MEGASCALE_GENERATE_TEXT_ROW_H_

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "megascale/data/text_stream.h"
#include "megascale/generate/stop_strings.h"

namespace megascale::generate {

// The text of one prompt's tokens as they come: complete characters, up to a stop string. One thread at
// a time.
class TextRow {
 public:
  // `before` are the prompt's ids, whose text is not returned. `tokenizer` must outlive the object.
  TextRow(const Tokenizer& tokenizer, std::span<const std::int32_t> before,
          std::vector<std::string> stops)
      : stream_(tokenizer, before), stops_(std::move(stops)) {}
  // Returns the text that became final with this token, without a stop string and what follows it.
  std::string push(std::int32_t id) { return keep(stops_.push(stream_.push(id))); }
  // Returns the rest of the text, which may be an unfinished character.
  std::string finish() {
    std::string rest = stops_.push(stream_.finish());
    return keep(rest + stops_.finish());
  }
  // Whether a stop string has come.
  [[nodiscard]] bool stopped() const noexcept { return stops_.found(); }
  // All that push() and finish() returned.
  [[nodiscard]] const std::string& text() const noexcept { return text_; }

 private:
  std::string keep(std::string part) {
    text_ += part;
    return part;
  }

  TextStream stream_;
  StopStrings stops_;
  std::string text_;
};

}  // namespace megascale::generate

#endif  // MEGASCALE_GENERATE_TEXT_ROW_H_
