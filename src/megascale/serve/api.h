#ifndef MEGASCALE_SERVE_API_H_
#define MEGASCALE_SERVE_API_H_

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "megascale/serve/query.h"
#include "megascale/serve/run_view.h"

namespace megascale::serve {

struct Answer {
  int status = 200;
  std::string type, body;
};
// Answers everything but pages and streams: the paths under /api/ (docs/observability.md) and /metrics.
// Never throws for what a client has sent: the body then is {"error": TEXT}, the status 400 or 404.
// Any thread may call it.
[[nodiscard]] Answer answer(std::span<const std::unique_ptr<RunView>> runs, std::string_view path,
                            const Parameters& parameters);
// Returns {"error": text}.
[[nodiscard]] Answer error_answer(int status, std::string_view text);

}  // namespace megascale::serve

#endif  // MEGASCALE_SERVE_API_H_
