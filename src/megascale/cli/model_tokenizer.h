#ifndef MEGASCALE_CLI_MODEL_TOKENIZER_H_
#define MEGASCALE_CLI_MODEL_TOKENIZER_H_

#include <memory>
#include <string>

#include "megascale/cli/model_arguments.h"
#include "megascale/data/tokenizer.h"

namespace megascale::cli {

// The arguments about the tokenizer of a trained model.
struct TokenizerChoice {
  std::string name;  // of another tokenizer; empty: the model's own
  bool any = false;  // a tokenizer with another fingerprint than the model's is meant
  void add_name_to(Command& command);
  void add_any_to(Command& command);
};

// Opens the tokenizer of a model: the one that is named, or the one in the checkpoint, or else the
// one that its configuration names. Throws Error (bad_input) if its fingerprint is not that of the
// model's tokenizer, and the errors of open_tokenizer(); also if
// nothing names a tokenizer and the vocabulary is not that of bytes.
[[nodiscard]] std::unique_ptr<const Tokenizer> open_model_tokenizer(const LoadedModel& model,
                                                                    const TokenizerChoice& choice);

// Throws Error (bad_input) if the data set of the model was made with another tokenizer.
void require_tokenizer_of_data(const LoadedModel& model, const TokenizerChoice& choice);

}  // namespace megascale::cli

#endif  // MEGASCALE_CLI_MODEL_TOKENIZER_H_
