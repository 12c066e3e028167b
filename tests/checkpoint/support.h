#ifndef MEGASCALE_TESTS_CHECKPOINT_SUPPORT_H_
#define MEGASCALE_TESTS_CHECKPOINT_SUPPORT_H_

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "megascale/base/error.h"
#include "megascale/base/files.h"
#include "megascale/checkpoint/open.h"
#include "megascale/checkpoint/save.h"

namespace megascale::checkpoint::testing {

// A directory that is removed at the end of the test.
class Scratch {
 public:
  Scratch() {
    std::string name =
        (std::filesystem::path(::testing::TempDir()) / "megascale_checkpoint_XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp");
    path_ = name;
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// Calls `action` and returns its Error; fails the test where it throws none.
template <class F>
Error error_of(F&& action) {
  try {
    action();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "expected an Error";
  return Error(ErrorCode::failed, "");
}

inline ::testing::AssertionResult says(const Error& error, ErrorCode code,
                                       const std::vector<std::string>& parts) {
  if (error.code() != code) {
    return ::testing::AssertionFailure()
           << "code " << to_string(error.code()) << ": " << error.message();
  }
  for (const std::string& part : parts) {
    if (error.message().find(part) == std::string::npos) {
      return ::testing::AssertionFailure() << "no \"" << part << "\" in: " << error.message();
    }
  }
  return ::testing::AssertionSuccess();
}

// The simple model of what a checkpoint holds: whole float32 tensors in memory, different in every
// element and step.
struct Model {
  std::map<std::string, std::pair<std::vector<std::int64_t>, std::vector<float>>> tensors;
  RunState state;

  explicit Model(std::int64_t step, std::int64_t width = 8) {
    const std::map<std::string, std::vector<std::int64_t>> shapes{
        {"embedding.word.weight", {3 * width, width}},
        {"layers.0.attention.qkv.weight", {3 * width, width}},
        {"layers.0.attention.qkv.bias", {3 * width}},
        {"final_norm.weight", {width}}};
    for (const auto& [name, shape] : shapes) {
      for (const std::string_view suffix :
           {std::string_view(), kFirstMomentSuffix, kSecondMomentSuffix}) {
        std::mt19937 random(static_cast<unsigned>(
            std::hash<std::string>{}(name + std::string(suffix)) + static_cast<std::size_t>(step)));
        std::vector<float> values(*checked_numel(shape));
        for (float& value : values) value = std::uniform_real_distribution<float>(-1, 1)(random);
        tensors[name + std::string(suffix)] = {shape, values};
      }
    }
    state = {.step = step,
             .consumed_samples = 4 * step,
             .sample_digest = "abc",
             .seed = 1234,
             .data_seed = -5,
             .update = {.updates = step - 1, .skipped = 1},
             .config = "[model]\ntype = \"gpt2\"  # \xC3\xA9\n"};
  }

  // Every tensor as one piece.
  [[nodiscard]] std::vector<Piece> pieces() const {
    std::vector<Piece> result;
    for (const auto& [name, tensor] : tensors) {
      result.push_back(
          whole_piece(name, DType::float32, tensor.first, std::as_bytes(std::span(tensor.second))));
    }
    return result;
  }
};

// Every tensor of `opened` equals the model's, bit for bit, and so does the state.
inline ::testing::AssertionResult holds(const Opened& opened, const Model& model) {
  if (!(opened.state() == model.state))
    return ::testing::AssertionFailure() << "state of step " << opened.state().step;
  if (opened.tensors().size() != model.tensors.size())
    return ::testing::AssertionFailure() << opened.tensors().size() << " tensors";
  for (const auto& [name, tensor] : model.tensors) {
    std::vector<float> values(tensor.second.size(), -7.0F);
    if (opened.tensor(name).shape != tensor.first)
      return ::testing::AssertionFailure() << "shape of " << name;
    opened.read(name, std::as_writable_bytes(std::span(values)));
    if (std::memcmp(values.data(), tensor.second.data(), values.size() * sizeof(float)) != 0) {
      return ::testing::AssertionFailure() << "bytes of " << name;
    }
  }
  return ::testing::AssertionSuccess();
}

inline std::vector<char> file_bytes(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
inline void write_bytes(const std::filesystem::path& path, const std::vector<char>& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

}  // namespace megascale::checkpoint::testing

#endif  // MEGASCALE_TESTS_CHECKPOINT_SUPPORT_H_
