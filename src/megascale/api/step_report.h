#ifndef MEGASCALE_API_STEP_REPORT_H_
#define MEGASCALE_API_STEP_REPORT_H_

#include "megascale/observe/metrics_history.h"
#include "megascale/run.h"

namespace megascale::api {

[[nodiscard]] StepReport to_report(const observe::MetricsRow& row);

}  // namespace megascale::api

#endif  // MEGASCALE_API_STEP_REPORT_H_
