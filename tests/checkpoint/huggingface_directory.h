#ifndef MEGASCALE_TESTS_CHECKPOINT_HUGGINGFACE_DIRECTORY_H_
#define MEGASCALE_TESTS_CHECKPOINT_HUGGINGFACE_DIRECTORY_H_

#include <algorithm>
#include <array>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>

#include "checkpoint/huggingface_models.h"

// Model directories that tests change and import.
namespace megascale::checkpoint::huggingface::testing {

using checkpoint::testing::error_of;
using checkpoint::testing::file_bytes;
using checkpoint::testing::Scratch;

// A test with the files of a small model, which it may change.
class DirectoryTest : public ::testing::Test {
 protected:
  void write(ModelType type) {
    using enum ModelType;
    constexpr std::array kShared{deepseek, dots1, glm4_moe, deepseek_v2, deepseek_v3};
    const bool shared = std::find(kShared.begin(), kShared.end(), type) != kShared.end();
    write(type == olmoe ? testing::olmoe() : shared ? with_shared_experts(type) : small(type));
  }
  void write(const Config& config) {
    config_ = config;
    export_model(Opened(save_model(scratch_.path() / "a", config_, Weights(config_))), hf());
  }
  [[nodiscard]] std::filesystem::path hf() const { return scratch_.path() / "hf"; }
  // Rewrites model.safetensors: `change` gets all tensors with their bytes.
  struct Tensor {
    StoredTensor tensor;
    std::vector<std::byte> bytes;
  };
  void rewrite(const std::function<void(std::vector<Tensor>&)>& change) {
    std::vector<Tensor> all;
    {
      const SafetensorsFile file(hf() / "model.safetensors");
      for (const StoredTensor& tensor : file.header().tensors) {
        const auto bytes = file.bytes(tensor);
        all.push_back({tensor, {bytes.begin(), bytes.end()}});
      }
    }
    change(all);
    std::vector<StoredTensor> tensors;
    tensors.reserve(all.size());
    for (const Tensor& tensor : all) tensors.push_back(tensor.tensor);
    const std::string header = make_safetensors_header(tensors, {});
    std::ofstream out(hf() / "model.safetensors", std::ios::binary);
    out << header;
    for (const Tensor& tensor : all)
      out.write(reinterpret_cast<const char*>(tensor.bytes.data()),
                static_cast<std::streamsize>(tensor.bytes.size()));
  }
  void edit_json(const std::function<void(nlohmann::json&)>& change) {
    nlohmann::json json = nlohmann::json::parse(read_text(hf() / "config.json"));
    change(json);
    std::ofstream(hf() / "config.json") << json;
  }
  [[nodiscard]] ::testing::AssertionResult imports_equal() const {
    const Opened back(save_imported(open_model(hf()), scratch_.path() / "b").path);
    for (const auto& [name, tensor] : Weights(config_).tensors) {
      if (read_floats(back, name) != tensor.second) return ::testing::AssertionFailure() << name;
    }
    return ::testing::AssertionSuccess();
  }
  // Exports the last import and compares the weights' file byte by byte.
  [[nodiscard]] ::testing::AssertionResult comes_back() const {
    const auto newest = open_newest(scratch_.path() / "b");
    if (!newest) return ::testing::AssertionFailure() << "no import";
    const auto out = scratch_.path() / "back";
    std::filesystem::remove_all(out);
    export_model(*newest, out);
    if (file_bytes(out / "model.safetensors") == file_bytes(hf() / "model.safetensors"))
      return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << "model.safetensors differs";
  }
  static std::vector<std::byte> lower_triangle(std::size_t n) {
    std::vector<std::byte> mask(n * n);
    for (std::size_t row = 0; row < n; ++row) {
      for (std::size_t column = 0; column <= row; ++column) mask[row * n + column] = std::byte{1};
    }
    return mask;
  }
  [[nodiscard]] Error refused() const {
    return error_of([&] { (void)open_model(hf()); });
  }

  Scratch scratch_;
  Config config_;
};

}  // namespace megascale::checkpoint::huggingface::testing

#endif  // MEGASCALE_TESTS_CHECKPOINT_HUGGINGFACE_DIRECTORY_H_
