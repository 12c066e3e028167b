// The assembler copies the files into the program as they are (.incbin), which takes no compile time.
// CMake gives the folder and compiles this file again when one of them changes.
#include "megascale/serve/pages.h"

#include <cstddef>

// NOLINTBEGIN(bugprone-macro-parentheses): a name cannot stand in parentheses
#define MEGASCALE_EMBED(name, file)            \
  __asm__(                                     \
      ".section .rodata\n"                     \
      ".global megascale_page_" #name          \
      "\n"                                     \
      "megascale_page_" #name                  \
      ":\n"                                    \
      ".incbin \"" MEGASCALE_WEB_DIST "/" file \
      "\"\n"                                   \
      ".global megascale_page_end_" #name      \
      "\n"                                     \
      "megascale_page_end_" #name              \
      ":\n"                                    \
      ".byte 0\n"                              \
      ".previous\n");                          \
  extern "C" const char megascale_page_##name[], megascale_page_end_##name[]
// NOLINTEND(bugprone-macro-parentheses)

MEGASCALE_EMBED(html, "index.html");
MEGASCALE_EMBED(script, "app.js");
MEGASCALE_EMBED(style, "app.css");

namespace megascale::serve {
namespace {

std::string_view between(const char* begin, const char* end) {
  return {begin, static_cast<std::size_t>(end - begin)};
}

}  // namespace

std::optional<Page> find_page(std::string_view path) {
  if (path == "/") {
    return Page{"text/html; charset=utf-8", between(megascale_page_html, megascale_page_end_html)};
  }
  if (path == "/app.js") {
    return Page{"text/javascript; charset=utf-8",
                between(megascale_page_script, megascale_page_end_script)};
  }
  if (path == "/app.css") {
    return Page{"text/css; charset=utf-8", between(megascale_page_style, megascale_page_end_style)};
  }
  return std::nullopt;
}

}  // namespace megascale::serve
