// fuzz_inputs DIRECTORY: for every target, the directory NAME of good inputs and the dictionary
// NAME.dict, as libFuzzer reads them. Prints the names.
#include <fmt/format.h>

#include <filesystem>

#include "fuzz/inputs.h"
#include "megascale/base/files.h"

namespace {

// One line of a dictionary: every byte by its number, so that none needs a rule.
std::string quoted(const std::string& word) {
  std::string line = "\"";
  for (const char byte : word) line += fmt::format("\\x{:02X}", static_cast<unsigned char>(byte));
  return line + "\"\n";
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: fuzz_inputs DIRECTORY\n");
    return 2;
  }
  const std::filesystem::path directory(argv[1]);
  for (const megascale::fuzz::Subject& subject : megascale::fuzz::subjects()) {
    megascale::make_directories(directory / subject.name);
    for (std::size_t i = 0; i < subject.good.size(); ++i)
      megascale::write_text_atomically(directory / subject.name / std::to_string(i),
                                       subject.good[i]);
    std::string dictionary;
    for (const std::string& word : subject.words) dictionary += quoted(word);
    megascale::write_text_atomically(directory / (subject.name + ".dict"), dictionary);
    fmt::print("{}\n", subject.name);
  }
  return 0;
}
