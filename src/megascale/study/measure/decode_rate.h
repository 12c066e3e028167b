#ifndef MEGASCALE_STUDY_MEASURE_DECODE_RATE_H_
#define MEGASCALE_STUDY_MEASURE_DECODE_RATE_H_

#include <cstdint>

#include "megascale/config/config.h"

namespace megascale::study {

// How fast a model decodes, beside the bytes that every token must bring from memory.
struct DecodeRate {
  std::int64_t sequences = 0;
  double seconds_per_step = 0;  // median; a step is a token of each sequence
  double best_seconds = 0;      // of a step
  double weight_nbytes = 0;     // read in a step: all weights but looked-up embeddings
  double cache_nbytes = 0;      // keys and values read in a step, mean
  [[nodiscard]] double tokens_per_second() const noexcept {
    return static_cast<double>(sequences) / seconds_per_step;
  }
  [[nodiscard]] double bytes_per_second() const noexcept {
    return (weight_nbytes + cache_nbytes) / seconds_per_step;
  }
};

struct DecodeOptions {
  std::int64_t sequences = 1;
  std::int64_t prompt = 128;  // tokens that are cached before the first step
  std::int64_t steps = 64;    // that are measured, after two others
};

// Decodes with random weights and the most likely tokens. `config` must be resolved and valid, with room
// for the tokens. Throws Error.
[[nodiscard]] DecodeRate measure_decode_rate(const Config& config, const DecodeOptions& options);

}  // namespace megascale::study

#endif  // MEGASCALE_STUDY_MEASURE_DECODE_RATE_H_
