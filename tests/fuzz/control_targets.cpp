#include "fuzz/reads_back.h"
#include "fuzz/targets.h"
#include "megascale/control/driver_settings.h"
#include "megascale/control/driver_state.h"
#include "megascale/control/message_text.h"
#include "megascale/control/remote/control_messages.h"

namespace megascale::fuzz {

bool control_messages(std::span<const std::byte> input) {
  using namespace control;  // NOLINT(google-build-using-namespace)
  const std::string_view text = as_text(input);
  const bool heartbeat = reads_back_as_text(text, parse_heartbeat);
  const bool reply = reads_back_as_text(text, parse_reply);
  const bool state = reads_back_as_text(text, parse_driver_state);
  const bool settings = reads_back_as_text(text, parse_driver_settings);
  const bool attach = reads_back_as_text(text, parse_attach_request);
  const bool job = reads_back_as_text(text, parse_attach_reply);
  const bool block = reads_back_as_text(text, parse_block_request);
  const bool submitted = reads_back_as_text(text, parse_submit_reply);
  const bool status = reads_back_as_text(text, parse_status_request);
  return heartbeat || reply || state || settings || attach || job || block || submitted || status;
}

}  // namespace megascale::fuzz
