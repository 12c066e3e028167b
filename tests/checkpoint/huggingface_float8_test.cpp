#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "checkpoint/huggingface_directory.h"
#include "megascale/checkpoint/huggingface/model_json.h"
#include "megascale/checkpoint/huggingface/tensor_map.h"

// Files whose matrices are in 8 bits with a scale for every block, as DeepSeek-V3 is published.
namespace megascale::checkpoint::huggingface {
namespace {

using checkpoint::testing::error_of;
using checkpoint::testing::file_bytes;
using checkpoint::testing::says;
using checkpoint::testing::write_bytes;
using testing::read_floats;
using testing::small;
using testing::with_experts;
using testing::with_gated_shared_expert;
using testing::with_shared_experts;

// The value of a code by the definition of E4M3: a sign, four bits of exponent with bias 7, three bits
// of fraction. The exponent 0 has no leading one. Only all ones are no number.
double decoded(unsigned code) {
  const int exponent = static_cast<int>(code / 8 % 16);
  const double fraction = code % 8 / 8.0;
  if (exponent == 15 && code % 8 == 7) return NAN;
  const double size =
      exponent == 0 ? std::ldexp(fraction, -6) : std::ldexp(1 + fraction, exponent - 7);
  return code < 128 ? size : -size;
}

template <class T>
std::vector<std::byte> bytes_of(const std::vector<T>& values) {
  const auto bytes = std::as_bytes(std::span(values));
  return {bytes.begin(), bytes.end()};
}

class Float8Test : public testing::DirectoryTest {
 protected:
  // Rewrites the files with all matrices but embedding, head and routers in 8 bits, in blocks of rows
  // x columns. Keeps in expected_ the same files in float32, made by the definition.
  void quantise(std::size_t rows, std::size_t columns,
                StoredType scale_type = StoredType::float32) {
    rewrite([&](std::vector<Tensor>& all) {
      std::vector<Tensor> quantised;
      for (Tensor& tensor : all) {
        quantised.push_back(tensor);
        if (!is_product(tensor.tensor)) continue;
        Tensor& codes = quantised.back();
        quantised.push_back(in_8_bits(codes, tensor, {rows, columns}, scale_type));
        ++products_;
      }
      expected_ = std::exchange(all, std::move(quantised));
    });
    edit_json([&](nlohmann::json& json) {
      json["quantization_config"] = {{"activation_scheme", "dynamic"},
                                     {"fmt", "e4m3"},
                                     {"quant_method", "fp8"},
                                     {"weight_block_size", {rows, columns}}};
    });
  }
  // Imports the files in 8 bits, and those in float32, and compares every bit.
  [[nodiscard]] ::testing::AssertionResult equals_float32() {
    const Opened got(save_imported(open_model(hf()), scratch_.path() / "b").path);
    const auto kept = file_bytes(hf() / "model.safetensors");
    const std::string json = read_text(hf() / "config.json");
    rewrite([&](std::vector<Tensor>& all) { all = expected_; });
    edit_json([](nlohmann::json& edited) { edited.erase("quantization_config"); });
    const Opened wanted(save_imported(open_model(hf()), scratch_.path() / "c").path);
    write_bytes(hf() / "model.safetensors", kept);
    std::ofstream(hf() / "config.json") << json;
    return have_equal_bits(got, wanted);
  }
  [[nodiscard]] static ::testing::AssertionResult have_equal_bits(const Opened& a,
                                                                  const Opened& b) {
    if (a.tensors().size() != b.tensors().size()) return ::testing::AssertionFailure() << "tensors";
    for (const auto& [name, tensor] : b.tensors()) {
      if (bytes_of(read_floats(a, name)) != bytes_of(read_floats(b, name)))
        return ::testing::AssertionFailure() << name;
    }
    return ::testing::AssertionSuccess();
  }
  // Changes one tensor of the files.
  void change(const std::string& name, const std::function<void(Tensor&)>& edit) {
    rewrite([&](std::vector<Tensor>& all) { edit(named(all, name)); });
  }
  void remove(const std::string& name) {
    rewrite([&](std::vector<Tensor>& all) {
      std::erase_if(all, [&](const Tensor& one) { return one.tensor.name == name; });
    });
  }
  static Tensor& named(std::vector<Tensor>& all, const std::string& name) {
    const auto found =
        std::ranges::find_if(all, [&](const Tensor& tensor) { return tensor.tensor.name == name; });
    EXPECT_NE(found, all.end()) << name;
    return *found;
  }
  [[nodiscard]] Error refused_by_save() const {
    const Imported imported = open_model(hf());
    return error_of([&] { (void)save_imported(imported, scratch_.path() / "b"); });
  }

  std::vector<Tensor> expected_;
  std::size_t products_ = 0;
  std::set<unsigned> codes_;  // that were written

 private:
  static bool is_product(const StoredTensor& tensor) {
    for (const char* other : {"embed", "wte", "wpe", "lm_head", "gate.weight"}) {
      if (tensor.name.find(other) != std::string::npos) return false;
    }
    return tensor.shape.size() == 2;
  }
  // Gives `codes` new values in 8 bits, and `wanted` the float32 numbers that they mean. Returns the
  // scales.
  Tensor in_8_bits(Tensor& codes, Tensor& wanted, std::array<std::size_t, 2> block,
                   StoredType scale_type) {
    const auto rows = static_cast<std::size_t>(codes.tensor.shape[0]),
               columns = static_cast<std::size_t>(codes.tensor.shape[1]),
               down = (rows + block[0] - 1) / block[0],
               across = (columns + block[1] - 1) / block[1];
    Tensor scales{{.name = codes.tensor.name + "_scale_inv",
                   .type = scale_type,
                   .shape = {static_cast<std::int64_t>(down), static_cast<std::int64_t>(across)}},
                  {}};
    // From 1e-4 to 1e-1, with all bits of the fraction; then as the file's type rounds them.
    std::vector<float> values = megascale::testing::normal(down * across, products_ + 100, 1.0);
    for (float& value : values) value = std::pow(10.0F, std::clamp(value, -2.0F, 2.0F) / 2 - 2.5F);
    scales.bytes.resize(values.size() * itemsize(scale_type));
    from_float32(scale_type, values, scales.bytes);
    to_float32(scale_type, scales.bytes, values);
    codes.tensor.type = StoredType::float8_e4m3;
    codes.bytes.resize(rows * columns);
    std::vector<float> products(rows * columns);
    for (std::size_t i = 0; i < products.size(); ++i) {
      // All codes but the two of NaN, in another order in each tensor.
      const auto number = static_cast<unsigned>((i * 37 + products_ * 11) % 254);
      const unsigned code = number < 127 ? number : number + 1;
      codes_.insert(code);
      codes.bytes[i] = static_cast<std::byte>(code);
      const float scale = values[i / columns / block[0] * across + i % columns / block[1]];
      // The product has at most 28 bits, so double holds it exactly: one rounding.
      products[i] = static_cast<float>(decoded(code) * static_cast<double>(scale));
    }
    wanted.tensor.type = StoredType::float32;
    wanted.bytes = bytes_of(products);
    return scales;
  }
};

// Wider than a block of DeepSeek-V3.
Config wide_llama() {
  Config config = small(ModelType::llama);
  config.model.hidden_size = 136;
  config.model.ffn_hidden_size = config.model.moe.ffn_hidden_size = 300;
  return config;
}
struct Form {
  const char* name;
  Config (*config)();
  std::size_t rows, columns;
};
class Float8FamiliesTest : public Float8Test, public ::testing::WithParamInterface<Form> {};

// Goal: every product of a family may be in 8 bits, also where rows are moved: GPT-2's are transposed,
// GPT-NeoX's interleaved, DeepSeek's rotated in pairs. Sizes are no multiples of the blocks.
TEST_P(Float8FamiliesTest, WeightsAreTheProductsRoundedOnce) {
  write(GetParam().config());
  quantise(GetParam().rows, GetParam().columns);
  EXPECT_EQ(codes_.size(), 254U);
  EXPECT_TRUE(equals_float32());
  const auto notes = open_model(hf()).notes;
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_TRUE(notes[0].starts_with(fmt::format(
      "quantization_config: {} of {} weights are in 8 bits", products_, expected_.size())))
      << notes[0];
}

INSTANTIATE_TEST_SUITE_P(
    Forms, Float8FamiliesTest,
    ::testing::Values(
        Form{"llama", wide_llama, 128, 128},
        Form{"one_block", [] { return small(ModelType::llama); }, 128, 1 << 20},
        Form{"one_element", [] { return small(ModelType::qwen2); }, 1, 1},
        Form{"gpt2", [] { return small(ModelType::gpt2); }, 7, 5},
        Form{"neox", [] { return small(ModelType::gpt_neox); }, 5, 7},
        Form{"phi3", [] { return small(ModelType::phi3); }, 9, 11},
        Form{"mixtral", [] { return with_experts(ModelType::mixtral); }, 5, 7},
        Form{"qwen2_moe", with_gated_shared_expert, 16, 16},
        Form{"deepseek_v2", [] { return with_shared_experts(ModelType::deepseek_v2); }, 7, 5},
        Form{"deepseek_v3", [] { return with_shared_experts(ModelType::deepseek_v3); }, 5, 7}),
    [](const auto& form) { return form.param.name; });

// Qwen3's files in 8 bits have scales in bfloat16, some in float16.
TEST_F(Float8Test, ScalesMayHaveSixteenBits) {
  for (const StoredType type : {StoredType::bfloat16, StoredType::float16}) {
    SCOPED_TRACE(to_string(type));
    std::filesystem::remove_all(scratch_.path() / "a");
    std::filesystem::remove_all(hf());
    write(ModelType::qwen3);
    quantise(7, 5, type);
    EXPECT_TRUE(equals_float32());
  }
}

// Goal: the rows that are rotated have the scales of their own rows in the file, of which a block ends
// within the tensor that is two of ours.
TEST_F(Float8Test, ScalesBelongToTheRowsOfTheFile) {
  write(
      ModelType::
          deepseek_v3);  // kv_a_proj_with_mqa: 12 rows of the latent vector, 6 of keys; 24 columns
  quantise(4, 24);
  const std::string name = "model.layers.1.self_attn.kv_a_proj_with_mqa.weight";
  const std::vector<float> scales{0.5F, 2.0F, 8.0F, 32.0F, 128.0F};
  change(name, [](Tensor& weight) {
    std::ranges::fill(weight.bytes, std::byte{0x38});  // the code of 1
  });
  change(name + "_scale_inv", [&](Tensor& tensor) {
    ASSERT_EQ(tensor.tensor.shape, (Extents{5, 1}));
    tensor.bytes = bytes_of(scales);
  });
  const Opened opened(save_imported(open_model(hf()), scratch_.path() / "b").path);
  const auto latent = read_floats(opened, "layers.1.attention.latent.weight"),
             key = read_floats(opened, "layers.1.attention.key_rope.weight");
  for (std::size_t row = 0; row < 12; ++row) EXPECT_EQ(latent.at(row * 24 + 23), scales[row / 4]);
  // Ours are their rows 12, 14, 16 and then 13, 15, 17.
  const std::vector<float> wanted{32, 32, 128, 32, 32, 128};
  for (std::size_t row = 0; row < 6; ++row) EXPECT_EQ(key.at(row * 24), wanted[row]) << row;
}

TEST_F(Float8Test, ScalesMayBeInAnotherFile) {
  write(ModelType::llama);
  quantise(7, 5);
  const Opened whole(save_imported(open_model(hf()), scratch_.path() / "whole").path);
  const auto good = file_bytes(hf() / "model.safetensors");
  nlohmann::json map;
  for (const bool scales : {true, false}) {
    const std::string file = scales ? "scales.safetensors" : "weights.safetensors";
    write_bytes(hf() / "model.safetensors", good);
    rewrite([&](std::vector<Tensor>& all) {
      std::erase_if(all, [&](const Tensor& one) {
        return one.tensor.name.ends_with("_scale_inv") != scales;
      });
      for (const Tensor& one : all) map[one.tensor.name] = file;
    });
    std::filesystem::rename(hf() / "model.safetensors", hf() / file);
  }
  std::ofstream(hf() / "model.safetensors.index.json") << nlohmann::json{{"weight_map", map}};
  const Opened parts(save_imported(open_model(hf()), scratch_.path() / "parts").path);
  EXPECT_TRUE(have_equal_bits(parts, whole));
}

// Goal: the type of each tensor decides, not the list of what was not converted.
TEST_F(Float8Test, ProductsMayBeInSixteenBitsBeside) {
  write(ModelType::deepseek_v3);
  quantise(5, 7);
  edit_json([](nlohmann::json& json) {
    json["quantization_config"]["modules_to_not_convert"] = {"lm_head", "model.layers.0"};
    json["quantization_config"]["scale_fmt"] = "ue8m0";  // as DeepSeek-V3.1 says
    json["quantization_config"].erase("fmt");
  });
  const std::string name = "model.layers.1.self_attn.o_proj.weight";
  remove(name + "_scale_inv");
  Tensor half;
  change(name, [&](Tensor& weight) {
    weight.tensor.type = StoredType::bfloat16;
    weight.bytes.clear();
    for (std::int64_t i = 0; i < weight.tensor.shape[0] * weight.tensor.shape[1]; ++i)
      weight.bytes.insert(weight.bytes.end(), {std::byte{0x80}, std::byte{0x3f}});
    half = weight;
  });
  named(expected_, name) = half;
  EXPECT_TRUE(equals_float32());
}

TEST_F(Float8Test, LayersThatPredictAreLeftOutWithTheirScales) {
  write(ModelType::deepseek_v3);
  quantise(5, 7);
  const Opened plain(save_imported(open_model(hf()), scratch_.path() / "plain").path);
  rewrite([](std::vector<Tensor>& all) {
    all.push_back({{.name = "model.layers.2.eh_proj.weight",
                    .type = StoredType::float8_e4m3,
                    .shape = {2, 3}},
                   std::vector<std::byte>(6)});
    all.push_back({{.name = "model.layers.2.eh_proj.weight_scale_inv", .shape = {1, 1}},
                   std::vector<std::byte>(4)});
  });
  edit_json([](nlohmann::json& json) { json["num_nextn_predict_layers"] = 1; });
  const Opened got(save_imported(open_model(hf()), scratch_.path() / "b").path);
  EXPECT_TRUE(have_equal_bits(got, plain));
}

// Goal: a copy of a tied embedding equals it in codes and in scales.
TEST_F(Float8Test, ATiedHeadHasTheScalesOfTheEmbedding) {
  write(testing::tied_llama_with_biases());
  quantise(128, 128);
  rewrite([](std::vector<Tensor>& all) {
    Tensor& table = named(all, "model.embed_tokens.weight");
    table.tensor.type = StoredType::float8_e4m3;
    table.bytes.assign(table.bytes.size() / 4, std::byte{0x38});
    Tensor head = table;
    head.tensor.name = "lm_head.weight";
    all.push_back(head);
    const std::vector<float> scales{2.0F, 3.0F, 5.0F};  // of 300 rows in blocks of 128
    for (const char* name : {"model.embed_tokens.weight_scale_inv", "lm_head.weight_scale_inv"})
      all.push_back({{.name = name, .shape = {3, 1}}, bytes_of(scales)});
  });
  const Opened opened(save_imported(open_model(hf()), scratch_.path() / "b").path);
  const auto table = read_floats(opened, "embedding.word.weight");
  for (std::size_t row = 0; row < 300; ++row)
    EXPECT_EQ(table.at(row * 24 + 5), row < 128 ? 2.0F : row < 256 ? 3.0F : 5.0F) << row;
  const auto good = file_bytes(hf() / "model.safetensors");
  change("lm_head.weight_scale_inv", [](Tensor& scales) { scales.bytes[2] ^= std::byte{0x40}; });
  EXPECT_TRUE(says(refused(), ErrorCode::bad_input, {"lm_head.weight to equal"}));
  write_bytes(hf() / "model.safetensors", good);
  remove("lm_head.weight_scale_inv");
  EXPECT_TRUE(says(refused(), ErrorCode::bad_input, {"lm_head.weight to equal"}));
}

// Goal: an export holds the float32 weights, or these rounded to bfloat16, and says so.
TEST_F(Float8Test, AnExportHasNoEightBits) {
  write(ModelType::deepseek_v3);
  quantise(5, 7);
  edit_json([](nlohmann::json& json) { json["torch_dtype"] = "bfloat16"; });
  auto wanted = nlohmann::json::parse(read_text(hf() / "config.json"));
  wanted.erase("quantization_config");
  const Opened imported(save_imported(open_model(hf()), scratch_.path() / "b").path);
  for (const bool half : {false, true}) {
    const auto out = scratch_.path() / (half ? "half" : "full");
    ExportOptions options;
    if (half) options.dtype = StoredType::bfloat16;
    export_model(imported, out, options);
    wanted["torch_dtype"] = half ? "bfloat16" : "float32";
    EXPECT_EQ(nlohmann::json::parse(read_text(out / "config.json")), wanted);
    const SafetensorsFile file(out / "model.safetensors");
    EXPECT_EQ(file.header().tensors.size(), expected_.size());
    for (const Tensor& tensor : expected_) {
      const StoredTensor* found = file.find(tensor.tensor.name);
      ASSERT_NE(found, nullptr) << tensor.tensor.name;
      const bool is_bias = tensor.tensor.name.ends_with("e_score_correction_bias");
      const StoredType type = half && !is_bias ? StoredType::bfloat16 : StoredType::float32;
      ASSERT_EQ(found->type, type) << tensor.tensor.name;
      std::vector<float> values(tensor.bytes.size() / sizeof(float));
      std::memcpy(values.data(), tensor.bytes.data(), tensor.bytes.size());
      std::vector<std::byte> bytes(values.size() * itemsize(type));
      from_float32(type, values, bytes);
      const auto exported = file.bytes(*found);
      EXPECT_TRUE(std::ranges::equal(exported, bytes)) << tensor.tensor.name;
    }
  }
}

// Goal: files in 16 or 32 bits whose config.json still has the key come back without it.
TEST_F(Float8Test, AKeyWithoutWeightsInEightBitsIsLeftOut) {
  write(ModelType::llama);
  rewrite([](std::vector<Tensor>&) {});
  const auto wanted = nlohmann::json::parse(read_text(hf() / "config.json"));
  edit_json([](nlohmann::json& json) {
    json["quantization_config"] = {{"quant_method", "fp8"}, {"weight_block_size", {128, 128}}};
  });
  EXPECT_TRUE(imports_equal());
  EXPECT_TRUE(comes_back());
  EXPECT_EQ(nlohmann::json::parse(read_text(scratch_.path() / "back/config.json")), wanted);
}

TEST_F(Float8Test, WrongScalesAndTypesAreRefusedByName) {
  write(ModelType::deepseek_v3);
  quantise(5, 7);
  const auto good = file_bytes(hf() / "model.safetensors");
  const std::string name = "model.layers.0.self_attn.kv_b_proj.weight",  // [72, 12]
      scales = name + "_scale_inv";
  const auto after = [&](const std::function<void(std::vector<Tensor>&)>& edit) {
    write_bytes(hf() / "model.safetensors", good);
    rewrite(edit);
    return refused();
  };
  EXPECT_TRUE(says(after([&](auto& all) {
                     std::erase_if(all, [&](auto& one) { return one.tensor.name == scales; });
                   }),
                   ErrorCode::bad_input,
                   {"model.safetensors: expected the tensor \"" + scales + "\"",
                    "floating-point [15, 2]", "found none: take all files"}));
  EXPECT_TRUE(says(after([&](auto& all) {
                     std::swap(named(all, scales).tensor.shape[0],
                               named(all, scales).tensor.shape[1]);
                   }),
                   ErrorCode::bad_input,
                   {"model.safetensors: expected \"" + scales + "\" to be floating-point [15, 2]",
                    "every block of 5 x 7 of \"" + name + "\" [72, 12]", "found F32 [2, 15]",
                    "compare weight_block_size"}));
  EXPECT_TRUE(says(after([&](auto& all) { named(all, scales).tensor.type = StoredType::int32; }),
                   ErrorCode::bad_input, {scales, "found I32 [15, 2]"}));
  EXPECT_TRUE(says(after([&](auto& all) {
                     std::swap(named(all, name).tensor.shape[0], named(all, name).tensor.shape[1]);
                   }),
                   ErrorCode::bad_input,
                   {name, "[72, 12], as config.json says", "F8_E4M3 [12, 72]"}));
  EXPECT_TRUE(
      says(after([&](auto& all) { named(all, name).tensor.type = StoredType::float8_e5m2; }),
           ErrorCode::bad_input,
           {"model.safetensors", name,
            "found F8_E5M2 [72, 12]: in 8 bits only matrices of type "
            "F8_E4M3 are read; use files in bfloat16"}));
  EXPECT_TRUE(says(after([&](auto& all) {
                     Tensor& norm = named(all, "model.layers.0.input_layernorm.weight");
                     norm.tensor.type = StoredType::float8_e4m3;
                     norm.bytes.resize(24);
                   }),
                   ErrorCode::bad_input,
                   {"input_layernorm.weight", "found F8_E4M3 [24]: in 8 bits only matrices"}));
  EXPECT_TRUE(says(after([&](auto& all) {
                     Tensor& weight = named(all, name);
                     weight.tensor.type = StoredType::bfloat16;
                     weight.bytes.resize(weight.bytes.size() * 2);
                   }),
                   ErrorCode::bad_input,
                   {"expected only tensors of a deepseek_v3 model, found \"" + scales + "\""}));
  write_bytes(hf() / "model.safetensors", good);
  edit_json([](nlohmann::json& json) { json.erase("quantization_config"); });
  EXPECT_TRUE(says(refused(), ErrorCode::bad_input,
                   {"model.safetensors", "F8_E4M3", "without quantization_config in config.json"}));
}

// Goal: values that no training can use are named with their element, also in the second of two tensors
// of ours that are one of theirs.
TEST_F(Float8Test, ValuesThatAreNotFiniteAreRefusedByName) {
  write(ModelType::deepseek_v3);
  quantise(5, 7);
  const auto good = file_bytes(hf() / "model.safetensors");
  const std::string name = "model.layers.0.self_attn.kv_a_proj_with_mqa.weight";  // [18, 24]
  for (const unsigned char code : {0x7f, 0xff}) {
    for (const std::size_t element : {3U, 12U * 24U + 7U}) {
      write_bytes(hf() / "model.safetensors", good);
      change(name, [&](Tensor& weight) { weight.bytes.at(element) = std::byte{code}; });
      EXPECT_TRUE(says(refused_by_save(), ErrorCode::bad_input,
                       {"model.safetensors", "finite weights in \"" + name, "nan",
                        fmt::format("as element {}", element)}));
    }
  }
  for (const auto& [scale, shown] : {std::pair(NAN, "nan"), std::pair(INFINITY, "inf"),
                                     std::pair(0.0F, "0"), std::pair(-0.5F, "-0.5")}) {
    write_bytes(hf() / "model.safetensors", good);
    change(name + "_scale_inv", [bad = scale](Tensor& scales) {
      std::memcpy(scales.bytes.data() + 9 * sizeof bad, &bad, sizeof bad);
    });
    EXPECT_TRUE(says(refused_by_save(), ErrorCode::bad_input,
                     {"model.safetensors", "finite scales above 0 in \"" + name + "_scale_inv\"",
                      fmt::format("found {} as element 9: take this file again", shown)}));
  }
  // 448 times the scale is beyond float32.
  write_bytes(hf() / "model.safetensors", good);
  change(name + "_scale_inv", [&](Tensor& scales) {
    const float large = 1e38F;
    std::memcpy(scales.bytes.data(), &large, sizeof large);
  });
  EXPECT_TRUE(
      says(refused_by_save(), ErrorCode::bad_input, {"finite weights in \"" + name, "inf"}));
}

TEST_F(Float8Test, OtherQuantisationsAreRefusedByKey) {
  write(ModelType::deepseek_v3);
  const auto text = read_text(hf() / "config.json");
  const nlohmann::json good{{"activation_scheme", "dynamic"},
                            {"fmt", "e4m3"},
                            {"quant_method", "fp8"},
                            {"weight_block_size", {128, 64}}};
  const auto parse = [&](const nlohmann::json& quantization) {
    nlohmann::json json = nlohmann::json::parse(text);
    json["quantization_config"] = quantization;
    return parse_model_json(json.dump(), "config.json");
  };
  EXPECT_FALSE(parse(nullptr).scale_blocks.has_value());
  const auto blocks = parse(good).scale_blocks;
  ASSERT_TRUE(blocks.has_value());
  EXPECT_EQ(blocks->rows, 128);
  EXPECT_EQ(blocks->columns, 64);
  struct Case {
    const char* key;
    nlohmann::json value;
    ErrorCode code;
    std::string message;
  };
  const auto unsupported = ErrorCode::unsupported, bad_input = ErrorCode::bad_input;
  for (const Case& bad : std::vector<Case>{
           {"quant_method", "gptq", unsupported, "quant_method = \"fp8\", found \"gptq\""},
           {"quant_method", nullptr, unsupported, "quant_method = \"fp8\", found null"},
           {"fmt", "e5m2", unsupported, "fmt = \"e4m3\", found \"e5m2\""},
           {"activation_scheme", "static", unsupported, "activation_scheme = \"dynamic\""},
           {"weight_block_size", nullptr, unsupported, "weight_block_size = two numbers above 0"},
           {"weight_block_size", {128}, unsupported, "found [128]"},
           {"weight_block_size", {128, 0}, unsupported, "found [128,0]"},
           {"weight_block_size", {1, 1, 1}, unsupported, "found [1,1,1]"},
           {"weight_block_size", {128, -1}, bad_input, "list of integers from 0 on"},
           {"weight_block_size", {128, 1.5}, bad_input, "list of integers from 0 on"},
           {"weight_block_size", 128, bad_input, "weight_block_size"}}) {
    nlohmann::json json = good;
    json[bad.key] = bad.value;
    EXPECT_TRUE(says(error_of([&] { (void)parse(json); }), bad.code,
                     {"config.json", "quantization_config", bad.message}))
        << bad.key << bad.value;
  }
  EXPECT_TRUE(says(error_of([&] { (void)parse("fp8"); }), bad_input,
                   {"\"quantization_config\" to be an object"}));
  EXPECT_TRUE(says(error_of([&] {
                     (void)parse({{"quant_method", "fp8"}});
                   }),
                   unsupported,
                   {"weight_block_size", "found no such key", "use files in bfloat16"}));
}

}  // namespace
}  // namespace megascale::checkpoint::huggingface
