#include <string>
#include <vector>

#include "fuzz/targets.h"
#include "megascale/base/error.h"
#include "megascale/control/driver_settings.h"
#include "megascale/control/driver_state.h"
#include "megascale/control/message_text.h"

namespace megascale::fuzz {
namespace {

// Whether `parse` takes the text; if so, its own text gives the same value again.
template <class Parse>
bool reads_back_as_text(std::string_view text, const Parse& parse) {
  // An allocation of the exact size, so that the address sanitizer sees a read past the end.
  const std::vector<char> exact(text.begin(), text.end());
  try {
    const auto value = parse(std::string_view(exact.data(), exact.size()));
    MEGASCALE_CHECK(parse(to_text(value)) == value, "what was read is written as it was");
    return true;
  } catch (const Error& error) {
    MEGASCALE_CHECK(error.code() == ErrorCode::bad_input && !error.message().empty(),
                    "a refusal says why");
    return false;
  }
}

}  // namespace

bool control_messages(std::span<const std::byte> input) {
  using namespace control;  // NOLINT(google-build-using-namespace)
  const std::string_view text = as_text(input);
  const bool heartbeat = reads_back_as_text(text, parse_heartbeat);
  const bool reply = reads_back_as_text(text, parse_reply);
  const bool state = reads_back_as_text(text, parse_driver_state);
  const bool settings = reads_back_as_text(text, parse_driver_settings);
  return heartbeat || reply || state || settings;
}

}  // namespace megascale::fuzz
