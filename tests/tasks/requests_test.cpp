#include "megascale/tasks/requests.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "megascale/base/error.h"
#include "megascale/data/tokenizers/bpe_trainer.h"
#include "megascale/data/tokenizers/tokenizer_json.h"

// Contexts and continuations as tokens, and the windows of long texts, by the rules of
// lm-evaluation-harness.
namespace megascale::tasks {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Ids = std::vector<std::int32_t>;

// Subwords in which a space belongs to the word behind it.
std::unique_ptr<const Tokenizer> subwords() {
  tokenizers::BpeTrainer trainer({.vocab_size = 300, .special_tokens = {"<|endoftext|>"}});
  trainer.add("the cat the cat the cat the dog the dog");
  return tokenizers::read_tokenizer_json(trainer.to_tokenizer_json(trainer.train()), "", "t.json");
}

TEST(EncodePairTest, SpacesAtTheEndOfTheContextMoveToTheContinuation) {
  const auto tokenizer = subwords();
  const EncodedPair moved = encode_pair(*tokenizer, 0, "the ", "cat");
  const EncodedPair plain = encode_pair(*tokenizer, 0, "the", " cat");
  EXPECT_EQ(moved.context, plain.context);
  EXPECT_EQ(moved.continuation, plain.continuation);
  EXPECT_EQ(tokenizer->decode(moved.continuation), " cat");
  EXPECT_EQ(tokenizer->decode(encode_pair(*tokenizer, 0, "the \n\t", "cat").continuation),
            " \n\tcat");
}

TEST(EncodePairTest, TheWholeIsEncodedAndTheContextTakenOff) {
  const auto tokenizer = subwords();
  // "ca" and "t" are one token of the whole, which has fewer tokens than both alone.
  Ids whole, context;
  tokenizer->encode("the cat the dog the dog", whole);
  tokenizer->encode("the ca", context);
  const EncodedPair pair = encode_pair(*tokenizer, 0, "the ca", "t the dog the dog");
  EXPECT_EQ(pair.context, context);
  EXPECT_EQ(pair.continuation, Ids(whole.begin() + std::ssize(context), whole.end()));
  EXPECT_NE(tokenizer->decode(pair.continuation), "t the dog the dog");
  // So nothing may be left for it.
  try {
    (void)encode_pair(*tokenizer, 0, "the ca", "t");
    ADD_FAILURE() << "the whole has no more tokens than the context";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_input);
    EXPECT_THAT(error.message(), HasSubstr("expected a token for the continuation"));
  }
}

TEST(EncodePairTest, AnEmptyContextIsTheEndOfADocument) {
  const ByteTokenizer bytes;
  const EncodedPair pair = encode_pair(bytes, 0, "", "ab");
  EXPECT_THAT(pair.context, ElementsAre(0));
  EXPECT_THAT(pair.continuation, ElementsAre('a', 'b'));
  // A prefix that the tokenizer has put is not put twice.
  EXPECT_THAT(encode_pair(bytes, 'a', "", "ab").continuation, ElementsAre('b'));
}

TEST(PairRequestTest, TheLastTokensAreSeen) {
  const EncodedPair pair{.context = {1, 2, 3}, .continuation = {4, 5}};
  const Request all = pair_request(pair, 10);
  EXPECT_THAT(all.inputs, ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(all.targets, ElementsAre(4, 5));
  EXPECT_THAT(pair_request(pair, 4).inputs, ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(pair_request(pair, 3).inputs, ElementsAre(2, 3, 4));
  EXPECT_THAT(pair_request(pair, 2).inputs, ElementsAre(3, 4));
  EXPECT_THAT(pair_request(pair, 2).targets, ElementsAre(4, 5));
  EXPECT_THROW((void)pair_request(pair, 1), Error);
}

// The example of the harness: tokens 0 to 9, windows of 4.
TEST(RollingRequestsTest, EveryTokenIsATargetOnceWithAsMuchBeforeItAsFits) {
  Ids tokens(10);
  std::iota(tokens.begin(), tokens.end(), 0);
  const auto windows = rolling_requests(tokens, 99, 4);
  ASSERT_EQ(windows.size(), 3U);
  EXPECT_THAT(windows[0].inputs, ElementsAre(99, 0, 1, 2));
  EXPECT_THAT(windows[0].targets, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(windows[1].inputs, ElementsAre(3, 4, 5, 6));
  EXPECT_THAT(windows[1].targets, ElementsAre(4, 5, 6, 7));
  EXPECT_THAT(windows[2].inputs, ElementsAre(5, 6, 7, 8));
  EXPECT_THAT(windows[2].targets, ElementsAre(8, 9));
  const auto one = rolling_requests(std::span(tokens).first(3), 99, 4);
  ASSERT_EQ(one.size(), 1U);
  EXPECT_THAT(one[0].inputs, ElementsAre(99, 0, 1));
  EXPECT_THAT(one[0].targets, ElementsAre(0, 1, 2));
  EXPECT_TRUE(rolling_requests({}, 99, 4).empty());
}

}  // namespace
}  // namespace megascale::tasks
