#ifndef MEGASCALE_TRAIN_REFERENCE_SCORES_H_
#define MEGASCALE_TRAIN_REFERENCE_SCORES_H_

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace megascale::train {

// The scores that the reference model of a training on preferences gives to all sequences: the sums of the
// log-probabilities of their counted tokens. They are computed once, when the run begins, and kept in a file of
// the run directory (docs/formats/reference-scores.md).
struct ReferenceScores {
  std::string data;     // a fingerprint of the data sets, and of how they are cut into sequences
  std::string weights;  // a fingerprint of what the reference was made of
  // By data set, the training data first; by Dataset::place_of().
  std::vector<std::vector<double>> sets;

  // Returns the digest of the scores as 32 hexadecimal digits. Checkpoints name it.
  [[nodiscard]] std::string digest() const;
  bool operator==(const ReferenceScores&) const = default;
};

// The content of the file, with a digest of all of it at its end.
[[nodiscard]] std::string to_bytes(const ReferenceScores& scores);
// `name` is named in messages. Throws Error (corrupt_data, or unsupported for another version).
[[nodiscard]] ReferenceScores parse_reference_scores(std::string_view bytes,
                                                     const std::string& name);

}  // namespace megascale::train

#endif  // MEGASCALE_TRAIN_REFERENCE_SCORES_H_
