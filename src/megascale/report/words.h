#ifndef MEGASCALE_REPORT_WORDS_H_
#define MEGASCALE_REPORT_WORDS_H_

#include <cstdint>
#include <string>

// Numbers as people read them. A value that is NaN becomes "?". All functions are pure.
namespace megascale::report {

[[nodiscard]] std::string bytes_text(std::uint64_t nbytes);  // "1.21 GiB"
[[nodiscard]] std::string percent_text(double share);        // "12.3 %"
[[nodiscard]] std::string more_text(double ratio);           // 1.031: "+3.1 %"
[[nodiscard]] std::string seconds_text(double seconds);      // "31.2 ms", "2.5 s"
[[nodiscard]] std::string duration_text(double seconds);     // "1:02:05"
[[nodiscard]] std::string count_text(double count);          // "1,234,567"
[[nodiscard]] std::string number_text(double value);         // four digits: "2.103", "3e-05"

}  // namespace megascale::report

#endif  // MEGASCALE_REPORT_WORDS_H_
