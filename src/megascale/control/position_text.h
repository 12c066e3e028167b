#ifndef MEGASCALE_CONTROL_POSITION_TEXT_H_
#define MEGASCALE_CONTROL_POSITION_TEXT_H_

#include "megascale/base/rank_position.h"
#include "megascale/control/json_fields.h"

// The position of a rank as a JSON object, in heartbeats and in the evidence of an incident.
namespace megascale::control {

[[nodiscard]] Json position_to_json(const RankPosition& position);
// Throws Error (bad_input).
[[nodiscard]] RankPosition position_from_json(const Parsed& object);

}  // namespace megascale::control

#endif  // MEGASCALE_CONTROL_POSITION_TEXT_H_
