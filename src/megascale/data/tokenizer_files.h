#ifndef MEGASCALE_DATA_TOKENIZER_FILES_H_
#define MEGASCALE_DATA_TOKENIZER_FILES_H_

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "megascale/checkpoint/tokenizer_record.h"
#include "megascale/config/config.h"
#include "megascale/data/dataset.h"
#include "megascale/data/tokenizer.h"

// Tokenizers of data sets and of checkpoints: which one they belong to, and its files.
namespace megascale {

// A tokenizer with its record for a checkpoint: the files have their content, and the name says
// which of them open_tokenizer() opens.
struct RecordedTokenizer {
  std::unique_ptr<const Tokenizer> tokenizer;
  checkpoint::TokenizerRecord record;
};
// Opens the tokenizer that data.tokenizer names. Throws the errors of open_tokenizer().
[[nodiscard]] RecordedTokenizer open_recorded_tokenizer(const std::string& name);

// Throws Error (bad_input) with both fingerprints if two records are of different tokenizers.
// `a_owner` and `b_owner` say what the records belong to, `advice` what to do.
void require_same_tokenizer(const checkpoint::TokenizerRecord& a, const std::string& a_owner,
                            const checkpoint::TokenizerRecord& b, const std::string& b_owner,
                            const std::string& advice);

// The tokenizer of a training, for its checkpoints.
struct TrainingTokenizer {
  std::optional<checkpoint::TokenizerRecord> record;  // absent if it is not known
  std::string note;                                   // empty, or why its files are not known
};
// Compares the tokenizer that the configuration names with those that made the data sets, as far as
// these say so. Throws Error (bad_input) if they differ, or if it has more ids than the model.
[[nodiscard]] TrainingTokenizer find_training_tokenizer(const Config& config, const Dataset& train,
                                                        std::span<const NamedDataset> validation);

}  // namespace megascale

#endif  // MEGASCALE_DATA_TOKENIZER_FILES_H_
