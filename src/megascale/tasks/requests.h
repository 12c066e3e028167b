#ifndef MEGASCALE_TASKS_REQUESTS_H_
#define MEGASCALE_TASKS_REQUESTS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "megascale/data/tokenizer.h"

// A request to the model in an evaluation: the log-likelihood of tokens behind others. The rules are
// those of EleutherAI's lm-evaluation-harness, so that results can be compared.
namespace megascale::tasks {

// The model reads `inputs`. Asked for are the log-probabilities of `targets`, each after one of the last
// targets.size() inputs.
struct Request {
  std::vector<std::int32_t> inputs, targets;
};

// A context and the text behind it, as token ids.
struct EncodedPair {
  std::vector<std::int32_t> context, continuation;
};
// Encodes a pair. White space at the end of the context belongs to the continuation, where most
// tokenizers join it to the next word. The whole is encoded at once, and so is the context alone; the
// continuation has the tokens of the whole behind as many as the context has. An empty context is
// `prefix`. Throws Error (bad_input) if no token is left for the continuation.
[[nodiscard]] EncodedPair encode_pair(const Tokenizer& tokenizer, std::int32_t prefix,
                                      std::string context, std::string continuation);

// Returns the request of a pair for a model that sees `most` tokens. A longer context loses its
// beginning. Throws Error (bad_input) if the continuation is longer than `most`.
[[nodiscard]] Request pair_request(const EncodedPair& pair, std::size_t most);

// Returns the requests for the log-likelihood of a whole text: every token is a target once. The first
// window follows `prefix`; each later one sees as many of the tokens before its targets as fit.
[[nodiscard]] std::vector<Request> rolling_requests(std::span<const std::int32_t> tokens,
                                                    std::int32_t prefix, std::size_t most);

}  // namespace megascale::tasks

#endif  // MEGASCALE_TASKS_REQUESTS_H_
