// The configurations that `megascale config --template` prints.
#include "megascale/config/template.h"

#include <gtest/gtest.h>

#include <regex>

#include "megascale/base/error.h"
#include "megascale/config/fields.h"
#include "megascale/config/load.h"

namespace megascale {
namespace {

std::string uncommented(const std::string& text) {
  return std::regex_replace(text, std::regex("(^|\n)#([a-z_0-9]+ = )"), "$1$2");
}

TEST(TemplateTest, EveryFamilyIsAValidConfigurationWithAllKeys) {
  ASSERT_GE(template_families().size(), 9U);
  for (const std::string& family : template_families()) {
    SCOPED_TRACE(family);
    const std::string text = configuration_template(family);
    const Config config = parse_config(text, family);
    // What is commented out has the value that stands there.
    EXPECT_EQ(to_toml(parse_config(uncommented(text), family)), to_toml(config));
    std::size_t at = 0;
    std::string_view section;
    for (const Field& field : config_fields()) {
      if (field.section != section) {
        section = field.section;
        at = text.find("\n[" + std::string(section) + "]\n", at);
        ASSERT_NE(at, std::string::npos) << section;
      }
      const std::string key = std::string(field.key) + " = ";
      const std::size_t plain = text.find("\n" + key, at), comment = text.find("\n#" + key, at);
      EXPECT_NE(std::min(plain, comment), std::string::npos) << full_name(field);
    }
    std::size_t begin = 0;
    for (std::size_t end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1)
      EXPECT_LE(end - begin, 160U) << text.substr(begin, end - begin);
  }
}

TEST(TemplateTest, FamiliesHaveWhatTheyAreKnownFor) {
  EXPECT_EQ(configuration_template(""), configuration_template("gpt2"));
  const Config mixtral = parse_config(configuration_template("mixtral"), "mixtral");
  EXPECT_EQ(mixtral.model.type, ModelType::mixtral);
  EXPECT_EQ(mixtral.model.moe.num_experts, 8);
  EXPECT_EQ(parse_config(configuration_template("llama3"), "llama3").model.rotary_base, 500000);
  EXPECT_TRUE(parse_config(configuration_template("qwen3"), "qwen3").model.qk_layernorm);
}

TEST(TemplateTest, AnotherNameIsRefusedWithTheNamesThatThereAre) {
  try {
    (void)configuration_template("gtp2");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_usage);
    EXPECT_NE(error.message().find("llama3"), std::string::npos) << error.message();
  }
}

}  // namespace
}  // namespace megascale
