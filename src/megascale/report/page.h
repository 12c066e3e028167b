#ifndef MEGASCALE_REPORT_PAGE_H_
#define MEGASCALE_REPORT_PAGE_H_

#include <string>

#include "megascale/report/facts.h"

namespace megascale::report {

// The report as one HTML page: the sections of the text and plots of the metrics over the steps. The page needs no
// other file, no script and no network, and follows the reader's choice of light or dark. Pure.
[[nodiscard]] std::string to_page(const RunFacts& facts);

}  // namespace megascale::report

#endif  // MEGASCALE_REPORT_PAGE_H_
