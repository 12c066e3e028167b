#ifndef MEGASCALE_CHECKPOINT_JSON_TEXT_H_
#define MEGASCALE_CHECKPOINT_JSON_TEXT_H_

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "megascale/base/error.h"

// Parsing of JSON text that may be damaged or hostile: manifests, safetensors headers and
// config.json of Hugging Face. The parser limits the nesting depth and refuses duplicate keys. The
// accessors check the type of a value. Every Error names the file and the key, and has the error
// code of the JsonSource. All functions may be called from any thread.
namespace megascale::checkpoint {

// Names the file in every error message, and holds the error code of those errors.
struct JsonSource {
  std::string file;
  ErrorCode code = ErrorCode::corrupt_data;
  // Returns an Error with the text "FILE: MESSAGE".
  [[nodiscard]] Error error(std::string_view message) const;
};

// Parses `text`. Throws Error if the text is not JSON (names the byte), if an object has a key
// twice, or if objects and lists are nested deeper than `depth_max` levels.
[[nodiscard]] nlohmann::json parse_json(std::string_view text, const JsonSource& source,
                                        int depth_max);

// Returns the member `key` of `object`; the other accessors below also check its type. `where`
// names the object in messages ("... in WHERE"); it is empty for the outermost object. Throws
// Error, for instance "FILE: expected "rank" in shard-0 to be an integer >= 0, found -1".
[[nodiscard]] const nlohmann::json& member(const nlohmann::json& object, const char* key,
                                           const JsonSource& source, std::string_view where);
[[nodiscard]] std::string string_member(const nlohmann::json& object, const char* key,
                                        const JsonSource& source, std::string_view where = {});
// The value is at least `min` and below 2^63.
[[nodiscard]] std::int64_t integer_member(const nlohmann::json& object, const char* key,
                                          const JsonSource& source, std::string_view where = {},
                                          std::int64_t min = 0);
[[nodiscard]] const nlohmann::json& array_member(const nlohmann::json& object, const char* key,
                                                 const JsonSource& source,
                                                 std::string_view where = {});
// Renders a value for a message: at most 120 bytes (then "..."), without control characters, valid
// UTF-8. Objects and lists of more than 16 entries are only counted.
[[nodiscard]] std::string shown(const nlohmann::json& value);
[[nodiscard]] std::string shown(std::string_view text);

}  // namespace megascale::checkpoint

#endif  // MEGASCALE_CHECKPOINT_JSON_TEXT_H_
