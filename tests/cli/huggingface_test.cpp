// A Hugging Face model through the binary: in, and out again.
#include <gtest/gtest.h>

#include <set>

#include "cli/workspace.h"
#include "support/shell.h"

namespace megascale::testing {
namespace {

std::set<std::string> names_in(const std::filesystem::path& directory) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(directory))
    names.insert(entry.path().filename().string());
  return names;
}

// Goal: what was there comes back, byte for byte.  Method: a small Qwen3 with all files that hubs
// keep beside the weights.
TEST(HuggingFaceRoundTrip, EveryFileOfTheModelComesBack) {
  const Workspace space;
  const auto model = space / "model", back = space / "back";
  ASSERT_EQ(run_in_shell("/usr/bin/python3 " MEGASCALE_SOURCE_DIR
                         "/tests/families/reference.py make qwen3 '" +
                         model.string() + "' 400"),
            0)
      << "needs python3-numpy";
  const auto text = space.write("text.txt", some_text(40'000));
  const Finished trained = megascale({"tokenizer", "train", text.string(), "--vocab-size", "400",
                                      "--output", (model / "tokenizer.json").string()});
  ASSERT_EQ(trained.exit_code, 0) << trained;
  for (const char* name :
       {"tokenizer_config.json", "special_tokens_map.json", "chat_template.jinja",
        "added_tokens.json", "vocab.json", "merges.txt", "tokenizer.model"}) {
    space.write("model/" + std::string(name), std::string("{\"of\": \"") + name + "\"}");
  }
  const auto checkpoints = (space / "run/imported").string();
  const Finished imported = megascale({"checkpoint", "import", model.string(), checkpoints});
  ASSERT_EQ(imported.exit_code, 0) << imported;
  const Finished exported = megascale({"checkpoint", "export", checkpoints, back.string()});
  ASSERT_EQ(exported.exit_code, 0) << exported;
  EXPECT_EQ(names_in(back), names_in(model));
  for (const std::string& name : names_in(model))
    EXPECT_TRUE(read(back / name) == read(model / name)) << name;
  // Another type is another form of the weights, and the one key that says so.
  const Finished wide =
      megascale({"checkpoint", "export", checkpoints, (space / "wide").string(), "--float32"});
  ASSERT_EQ(wide.exit_code, 0) << wide;
  auto config = nlohmann::json::parse(read(model / "config.json"));
  config["torch_dtype"] = "float32";
  EXPECT_EQ(nlohmann::json::parse(read(space / "wide/config.json")), config);
  const Finished both = megascale(
      {"checkpoint", "export", checkpoints, (space / "x").string(), "--float32", "--bfloat16"});
  EXPECT_EQ(both.exit_code, 2) << both;
}

}  // namespace
}  // namespace megascale::testing
