#ifndef MEGASCALE_PLAN_DUMP_H_
#define MEGASCALE_PLAN_DUMP_H_

#include <filesystem>
#include <string>

#include "megascale/plan/build.h"

// Writes plans as JSON, for people and tools.
namespace megascale::plan {

// Returns memory by category, the numbers of tasks and waits, FLOPs and the digest of a plan as one
// JSON object.
std::string summary_json(const BuiltPlan& built);

// Returns whether a member of such a transfer takes bytes from every other member. Its part is then
// not over before all others have started theirs, whatever carries the bytes.
[[nodiscard]] bool takes_from_all(const TransferRule& rule) noexcept;

// Writes the whole plan as JSON: buffers, communicators, and tasks with names, lanes, operands and
// waits. "axis_sizes" and the "axes" of a communicator (bits) are in the order of graph::Axis. A run
// keeps this file beside its records, so that a trace can be drawn even after the program has
// changed. The byte ranges are those of the rank at coordinate 0 of every axis. Throws Error (io).
void dump_to(const StepPlan& plan, const std::filesystem::path& path);

}  // namespace megascale::plan

#endif  // MEGASCALE_PLAN_DUMP_H_
