#ifndef MEGASCALE_CHECKPOINT_JSON_TEXT_H_
#define MEGASCALE_CHECKPOINT_JSON_TEXT_H_

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "megascale/base/error.h"

// JSON from files that may be damaged or hostile: parsed with a bound on depth, without duplicate
// keys, and read with errors that name the file and the key. `code` of all errors is the caller's.
namespace megascale::checkpoint {

// Names what is being read in every error.
struct JsonSource {
  std::string file;
  ErrorCode code = ErrorCode::corrupt_data;
  [[nodiscard]] Error error(std::string_view message) const;  // "FILE: MESSAGE"
};

// Throws Error: not JSON (with the byte), a key twice in one object, deeper than `depth_max`.
[[nodiscard]] nlohmann::json parse_json(std::string_view text, const JsonSource& source,
                                        int depth_max);

// The member `key` of an object, of the type asked for. `where` completes "in ..."; empty at the
// top. Throws Error: "expected KEY to be an integer >= 0, found ...".
[[nodiscard]] const nlohmann::json& member(const nlohmann::json& object, const char* key,
                                           const JsonSource& source, std::string_view where);
[[nodiscard]] std::string string_member(const nlohmann::json& object, const char* key,
                                        const JsonSource& source, std::string_view where = {});
[[nodiscard]] std::int64_t integer_member(const nlohmann::json& object, const char* key,
                                          const JsonSource& source, std::string_view where = {},
                                          std::int64_t min = 0);  // [min, 2^63)
[[nodiscard]] const nlohmann::json& array_member(const nlohmann::json& object, const char* key,
                                                 const JsonSource& source,
                                                 std::string_view where = {});
// A value for messages: at most 60 characters, no control characters, valid UTF-8.
[[nodiscard]] std::string shown(const nlohmann::json& value);
[[nodiscard]] std::string shown(std::string_view text);

}  // namespace megascale::checkpoint

#endif  // MEGASCALE_CHECKPOINT_JSON_TEXT_H_
