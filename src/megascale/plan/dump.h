#ifndef MEGASCALE_PLAN_DUMP_H_
#define MEGASCALE_PLAN_DUMP_H_

#include <filesystem>
#include <string>

#include "megascale/plan/build.h"

namespace megascale::plan {

// Memory by category, task counts, FLOPs and digest of a built plan, as one JSON object.
std::string summary_json(const BuiltPlan& built);

// The whole plan as JSON: buffers, ops, tasks with names, lanes, operands and waits. For people and
// tools; a run keeps it beside its records, so that a trace can be drawn after the program has
// changed. Throws Error (io).
void dump_to(const StepPlan& plan, const std::filesystem::path& path);

}  // namespace megascale::plan

#endif  // MEGASCALE_PLAN_DUMP_H_
