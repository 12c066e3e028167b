// The rules of a training on preferences: what a pair needs, and what is not done yet.
#include "megascale/config/preference_rules.h"

#include "megascale/config/derived.h"

namespace megascale {

std::vector<Rule> preference_rules() {
  return {
      {{"preference.beta", "train.micro_batch_size"},
       "an even micro_batch_size with preferences: the two answers of a pair are sequences of one "
       "micro-batch",
       [](const Config& c) { return !has_preferences(c) || c.train.micro_batch_size % 2 == 0; }},
      {{"preference.beta", "data.packed_documents", "data.whole_documents"},
       "packed_documents and whole_documents false with preferences: each answer has a sequence of "
       "its own",
       [](const Config& c) {
         return !has_preferences(c) || !(c.data.packed_documents || c.data.whole_documents);
       }},
      {{"preference.beta", "data.data_weights"},
       "no data_weights with preferences: a blend would tear pairs apart",
       [](const Config& c) { return !has_preferences(c) || c.data.data_weights.empty(); }},
  };
}

}  // namespace megascale
