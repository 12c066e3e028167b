#ifndef MEGASCALE_DATA_FEED_TRAINER_H_
#define MEGASCALE_DATA_FEED_TRAINER_H_

#include <cstdint>
#include <filesystem>
#include <string>

#include "megascale/data/tokenizers/bpe_trainer.h"

namespace megascale {

// Passes a file to the trainer, each line with its end of line as one text: Hugging Face's trainer
// reads files so too. Of files that end in .jsonl, .ndjson or .json, the texts under `json_key` are
// taken. Memory holds one line. Returns the number of bytes of text. Throws Error (io) if the file
// cannot be read, and Error (bad_input) at the first line that is no JSON with this key.
std::int64_t feed_trainer(const std::filesystem::path& input, const std::string& json_key,
                          tokenizers::BpeTrainer& trainer);

}  // namespace megascale

#endif  // MEGASCALE_DATA_FEED_TRAINER_H_
