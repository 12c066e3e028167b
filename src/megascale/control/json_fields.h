#ifndef MEGASCALE_CONTROL_JSON_FIELDS_H_
#define MEGASCALE_CONTROL_JSON_FIELDS_H_

#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// Reads the members of JSON objects that come from another process or from a file. Every function
// throws Error (bad_input) that names the member, what was expected and what was found. Internal to
// control/.
namespace megascale::control {

using Json = nlohmann::ordered_json;  // to be written, in the order of its members
using Parsed = nlohmann::json;

// Bounds of what a message may hold, so that no sender can make a receiver use much memory.
inline constexpr std::size_t kMostTextBytes = 4096;
inline constexpr std::size_t kMostItems = 4096;

// Parses an object (checkpoint/json_text.h). `what` names the text in messages, for instance "a heartbeat".
[[nodiscard]] Parsed parse_object(std::string_view text, std::string_view what);
// Returns the object as text. Bytes that are not UTF-8 are replaced.
[[nodiscard]] std::string to_text(const Json& object);

class Fields {
 public:
  Fields(const Parsed& object, std::string_view what);
  [[nodiscard]] std::int64_t integer(const char* key, std::int64_t low, std::int64_t high) const;
  [[nodiscard]] std::int64_t at_least(const char* key, std::int64_t low) const;
  [[nodiscard]] double real(const char* key) const;  // finite and at least 0
  [[nodiscard]] bool boolean(const char* key) const;
  [[nodiscard]] std::string text(const char* key) const;
  // Members that a record or a peer of an older version lacks have the default then.
  [[nodiscard]] std::int64_t integer_or(const char* key, std::int64_t low, std::int64_t high,
                                        std::int64_t otherwise) const;
  [[nodiscard]] std::string text_or(const char* key, std::string otherwise) const;
  [[nodiscard]] bool has(const char* key) const { return object_.contains(key); }
  [[nodiscard]] const Parsed& list(const char* key) const;
  [[nodiscard]] std::vector<std::int64_t> integers(const char* key, std::int64_t low) const;
  [[nodiscard]] std::vector<std::string> texts(const char* key) const;
  // Returns the number of the word among `words`.
  [[nodiscard]] std::size_t word(const char* key, std::span<const std::string_view> words) const;

 private:
  [[nodiscard]] const Parsed& member(const char* key) const;
  [[noreturn]] void refuse(const char* key, std::string_view expected, const Parsed& found) const;
  const Parsed& object_;
  std::string what_;
};

}  // namespace megascale::control

#endif  // MEGASCALE_CONTROL_JSON_FIELDS_H_
