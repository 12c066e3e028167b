#ifndef MEGASCALE_CHECKPOINT_HUGGINGFACE_JSON_READER_H_
#define MEGASCALE_CHECKPOINT_HUGGINGFACE_JSON_READER_H_

#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "megascale/base/error.h"
#include "megascale/checkpoint/json_text.h"

namespace megascale::checkpoint::huggingface {

// config.json, or an object in it, with typed access and errors that name the file and the key. A
// key that is null counts as absent, because the library transformers takes its default in both
// cases; where it does not, is_null() tells them apart. A value type.
class JsonReader {
 public:
  // Throws Error (bad_input) if the text is no JSON object.
  JsonReader(std::string_view text, const std::string& file);

  [[nodiscard]] bool has(const char* key) const {
    return json_.contains(key) && !json_[key].is_null();
  }
  [[nodiscard]] bool is_null(const char* key) const {
    return json_.contains(key) && json_[key].is_null();
  }
  // Return the value. An integer is at least 1, a count at least 0. The forms with `otherwise` return
  // that if the key is absent. Throw Error (bad_input) if the value is missing or of another type.
  [[nodiscard]] std::int64_t integer(const char* key) const;
  [[nodiscard]] std::int64_t integer(const char* key, std::int64_t otherwise) const {
    return has(key) ? integer(key) : otherwise;
  }
  [[nodiscard]] std::int64_t count(const char* key, std::int64_t otherwise) const;
  [[nodiscard]] double number(const char* key) const;
  [[nodiscard]] double number(const char* key, double otherwise) const {
    return has(key) ? number(key) : otherwise;
  }
  [[nodiscard]] bool boolean(const char* key, bool otherwise) const;
  [[nodiscard]] std::string text(const char* key) const;
  [[nodiscard]] std::vector<std::string> texts(const char* key) const;
  // Returns a list of counts; an empty one if the key is absent.
  [[nodiscard]] std::vector<std::int64_t> counts(const char* key) const;
  [[nodiscard]] std::vector<double> numbers(const char* key) const;
  // Returns the object `key`. Its messages name the members "key.member".
  [[nodiscard]] JsonReader object(const char* key) const;

  // Refuse every value of `key` except `only` or one of `names`, because our models cannot express
  // the others. An absent key is good. Throw Error (unsupported).
  void need(const char* key, const nlohmann::json& only, std::string_view reason = kModels) const;
  void need_one_of(const char* key, std::initializer_list<const char*> names) const;
  [[nodiscard]] Error unsupported(const char* key, std::string_view wanted,
                                  std::string_view reason = kModels) const;

 private:
  static constexpr std::string_view kModels = "this program's models cannot express it";

  JsonReader(nlohmann::json json, JsonSource source, std::string path)
      : source_(std::move(source)), path_(std::move(path)), json_(std::move(json)) {}
  [[nodiscard]] std::string full_name(const char* key) const;
  [[nodiscard]] Error expected(const char* key, std::string_view type) const;

  JsonSource source_;
  std::string path_;  // "rope_scaling" within that object; empty for the outermost one
  nlohmann::json json_;
};

}  // namespace megascale::checkpoint::huggingface

#endif  // MEGASCALE_CHECKPOINT_HUGGINGFACE_JSON_READER_H_
