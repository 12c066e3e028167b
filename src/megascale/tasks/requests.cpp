#include "megascale/tasks/requests.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "megascale/base/error.h"
#include "megascale/data/tokenizers/unicode.h"

namespace megascale::tasks {

EncodedPair encode_pair(const Tokenizer& tokenizer, std::int32_t prefix, std::string context,
                        std::string continuation) {
  const std::size_t spaces = tokenizers::trailing_white_space(context);
  continuation = context.substr(context.size() - spaces) + continuation;
  context.resize(context.size() - spaces);
  EncodedPair pair;
  std::vector<std::int32_t> whole;
  tokenizer.encode(context + continuation, whole);
  if (!context.empty()) {
    tokenizer.encode(context, pair.context);
  } else if (whole.size() < 2 || whole.front() != prefix) {
    // A tokenizer may have put the prefix itself; then it is the context.
    whole.insert(whole.begin(), prefix);
  }
  if (context.empty()) pair.context = {prefix};
  if (whole.size() <= pair.context.size()) {
    throw Error(ErrorCode::bad_input,
                "expected a token for the continuation, found none: the tokenizer joins it to the "
                "context");
  }
  pair.continuation.assign(whole.begin() + static_cast<std::ptrdiff_t>(pair.context.size()),
                           whole.end());
  return pair;
}

Request pair_request(const EncodedPair& pair, std::size_t most) {
  if (pair.continuation.size() > most) {
    throw Error(ErrorCode::bad_input,
                fmt::format("expected at most {} tokens behind the context, as many as the model "
                            "sees, found {}",
                            most, pair.continuation.size()));
  }
  Request request{.inputs = pair.context, .targets = pair.continuation};
  request.inputs.insert(request.inputs.end(), pair.continuation.begin(),
                        pair.continuation.end() - 1);
  if (request.inputs.size() > most) {
    request.inputs.erase(request.inputs.begin(),
                         request.inputs.end() - static_cast<std::ptrdiff_t>(most));
  }
  return request;
}

std::vector<Request> rolling_requests(std::span<const std::int32_t> tokens, std::int32_t prefix,
                                      std::size_t most) {
  std::vector<std::int32_t> all{prefix};  // token i of the text is all[i + 1]
  all.insert(all.end(), tokens.begin(), tokens.end());
  std::vector<Request> requests;
  for (std::size_t begin = 0; begin < tokens.size();) {
    const std::size_t end = std::min(begin + most, tokens.size());
    const std::size_t first = end > most ? end - most : 0;  // input
    const auto at = [&](std::size_t i) { return all.begin() + static_cast<std::ptrdiff_t>(i); };
    requests.push_back({.inputs = {at(first), at(end)}, .targets = {at(begin + 1), at(end + 1)}});
    begin = end;
  }
  return requests;
}

}  // namespace megascale::tasks
