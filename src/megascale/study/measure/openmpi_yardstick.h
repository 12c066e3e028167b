#ifndef MEGASCALE_STUDY_MEASURE_OPENMPI_YARDSTICK_H_
#define MEGASCALE_STUDY_MEASURE_OPENMPI_YARDSTICK_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Open MPI's collectives on this machine, timed by the program bench/openmpi_collectives.cpp under
// mpirun: what `megascale bench collectives` prints beside its own.
namespace megascale::study {

// Median seconds of one call, by (kind, bytes of all ranks together).
using YardstickSeconds = std::map<std::pair<std::string, std::size_t>, double>;

// The yardstick of the bench build that this binary belongs to: it need not exist.
[[nodiscard]] std::string default_openmpi_program();

// Runs `program` on `ranks` ranks of this machine. Throws Error (unsupported) where it or mpirun is
// missing or fails; the message has their last words.
[[nodiscard]] YardstickSeconds run_openmpi_yardstick(const std::string& program,
                                                     std::uint32_t ranks,
                                                     const std::vector<std::size_t>& sizes);

// Reads the program's table; lines that are no rows are passed over.
[[nodiscard]] YardstickSeconds parse_yardstick(std::string_view table);

}  // namespace megascale::study

#endif  // MEGASCALE_STUDY_MEASURE_OPENMPI_YARDSTICK_H_
