#ifndef MEGASCALE_SERVE_QUERY_H_
#define MEGASCALE_SERVE_QUERY_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

// The parameters of a request, "?ranks=0,3&step=12", parsed with bounds. Every function throws Error
// (bad_input) that names the parameter, what was expected and what was found.
namespace megascale::serve {

using Parameters = std::multimap<std::string, std::string>;  // decoded

class Query {
 public:
  // Throws Error if a parameter is given twice, or is not among `known`.
  Query(const Parameters& parameters, const std::vector<std::string_view>& known);
  [[nodiscard]] bool has(std::string_view name) const;
  [[nodiscard]] std::int64_t integer(std::string_view name, std::int64_t low, std::int64_t high,
                                     std::int64_t otherwise) const;
  // "3", "0,2" and "0-7,12"; each rank once, ascending, all below `ranks`; at most `most` of them.
  [[nodiscard]] std::vector<std::uint32_t> ranks(std::string_view name, std::uint32_t ranks,
                                                 std::size_t most) const;
  // "compute,step": the words between the commas; nothing if the parameter is not given.
  [[nodiscard]] std::optional<std::set<std::string, std::less<>>> words(
      std::string_view name) const;

 private:
  [[nodiscard]] const std::string* find(std::string_view name) const;
  const Parameters* parameters_;
};

// A path of the API: "/api/runs/2/timeline".
struct RunPath {
  std::size_t run = 0;
  std::string_view what;  // "timeline"; "" for the run itself
};
// Returns nothing if `path` is no path of a run.
[[nodiscard]] std::optional<RunPath> parse_run_path(std::string_view path);

}  // namespace megascale::serve

#endif  // MEGASCALE_SERVE_QUERY_H_
