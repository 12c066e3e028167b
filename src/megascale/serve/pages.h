#ifndef MEGASCALE_SERVE_PAGES_H_
#define MEGASCALE_SERVE_PAGES_H_

#include <optional>
#include <string_view>

namespace megascale::serve {

// A file of the dashboard, built from web/ and embedded in the program.
struct Page {
  std::string_view type, body;
};
// Returns nothing if there is no page at `path`, such as "/" or "/app.js".
[[nodiscard]] std::optional<Page> find_page(std::string_view path);

}  // namespace megascale::serve

#endif  // MEGASCALE_SERVE_PAGES_H_
