#ifndef MEGASCALE_GENERATE_STOP_STRINGS_H_
#define MEGASCALE_GENERATE_STOP_STRINGS_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace megascale::generate {

// Looks for strings that end a text which arrives in parts. It holds back the end of the text while
// that may be the beginning of a stop string, so that none is ever half printed. One thread at a time.
class StopStrings {
 public:
  // No string is empty.
  explicit StopStrings(std::vector<std::string> stops) : stops_(std::move(stops)) {}
  // Returns the text that became final with `part`. If a stop string is complete, this is what stands
  // before the first one, and found() becomes true; later parts are ignored.
  [[nodiscard]] std::string push(std::string_view part);
  // Returns what was held back, for the end of the text.
  [[nodiscard]] std::string finish();
  [[nodiscard]] bool found() const noexcept { return found_; }

 private:
  std::vector<std::string> stops_;
  std::string held_;
  bool found_ = false;
};

}  // namespace megascale::generate

#endif  // MEGASCALE_GENERATE_STOP_STRINGS_H_
