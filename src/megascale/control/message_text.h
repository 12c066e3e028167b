#ifndef MEGASCALE_CONTROL_MESSAGE_TEXT_H_
#define MEGASCALE_CONTROL_MESSAGE_TEXT_H_

#include <string>
#include <string_view>

#include "megascale/control/json_fields.h"
#include "megascale/control/messages.h"

// Messages as JSON text. The parse functions check types, ranges, lengths and nesting, and throw
// Error (bad_input), which names the member. Pure; any thread.
namespace megascale::control {

[[nodiscard]] std::string to_text(const Heartbeat& heartbeat);
[[nodiscard]] std::string to_text(const Reply& reply);
[[nodiscard]] Heartbeat parse_heartbeat(std::string_view text);
[[nodiscard]] Reply parse_reply(std::string_view text);

// An order as a JSON object; the driver's state holds orders too.
[[nodiscard]] Json order_to_json(const Order& order);
[[nodiscard]] Order order_from_json(const Parsed& object);

}  // namespace megascale::control

#endif  // MEGASCALE_CONTROL_MESSAGE_TEXT_H_
