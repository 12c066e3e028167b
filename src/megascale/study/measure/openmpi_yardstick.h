#ifndef MEGASCALE_STUDY_MEASURE_OPENMPI_YARDSTICK_H_
#define MEGASCALE_STUDY_MEASURE_OPENMPI_YARDSTICK_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Times Open MPI's collectives on this machine, for comparison in `megascale bench collectives
// --openmpi`. The program bench/openmpi_collectives.cpp measures them under mpirun, since this
// binary does not link Open MPI.
namespace megascale::study {

// Median seconds of one call. Key: kind, and the bytes of all ranks together.
using YardstickSeconds = std::map<std::pair<std::string, std::size_t>, double>;

// Returns the path of the program in the build folder of this binary. The file need not exist.
[[nodiscard]] std::string default_openmpi_program();

// Runs `program` on `ranks` ranks of this machine, for `sizes` in bytes. Throws Error (unsupported)
// if the program or mpirun is missing or fails. The message has the end of their output.
[[nodiscard]] YardstickSeconds run_openmpi_yardstick(const std::string& program,
                                                     std::uint32_t ranks,
                                                     const std::vector<std::size_t>& sizes);

// Parses the program's output and ignores lines that are not rows of its table. A pure function.
[[nodiscard]] YardstickSeconds parse_yardstick(std::string_view table);

}  // namespace megascale::study

#endif  // MEGASCALE_STUDY_MEASURE_OPENMPI_YARDSTICK_H_
