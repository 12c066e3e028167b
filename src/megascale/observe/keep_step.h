#ifndef MEGASCALE_OBSERVE_KEEP_STEP_H_
#define MEGASCALE_OBSERVE_KEEP_STEP_H_

#include <cstdint>
#include <filesystem>
#include <vector>

namespace megascale::observe {

// Keeps the records of a step for good, as observe.trace_steps does, while the rings still hold it. The run may
// be going on. Returns the ranks whose records are kept now, those that were kept before included. Throws
// Error: bad_input if no ring holds the whole step; io.
std::vector<std::uint32_t> keep_step(const std::filesystem::path& run_dir, std::int64_t step);

}  // namespace megascale::observe

#endif  // MEGASCALE_OBSERVE_KEEP_STEP_H_
