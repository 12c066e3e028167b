// Filling batches is part of the step loop, which allocates nothing.
#include <gtest/gtest.h>

#include <new>
#include <utility>

#include "megascale/data/dataset.h"
#include "megascale/data/indexed_writer.h"
#include "support/counting_new.h"
#include "support/scratch_directory.h"

namespace megascale {
namespace {

TEST(AllocationTest, TheCounterCounts) {
  const std::int64_t before = testing::allocation_count();
  const std::vector<int> vector(100);
  EXPECT_GT(testing::allocation_count(), before) << vector.size();
}

TEST(AllocationTest, EveryFormIsCounted) {
  const std::int64_t before = testing::allocation_count();
  ::operator delete(::operator new(8, std::nothrow));
  EXPECT_EQ(testing::allocation_count() - before, 1);
  ::operator delete[](::operator new[](8));
  EXPECT_EQ(testing::allocation_count() - before, 2);
  ::operator delete[](::operator new[](8, std::nothrow));
  EXPECT_EQ(testing::allocation_count() - before, 3);
}

TEST(AllocationTest, FillAndHashAllocateNothing) {
  const testing::ScratchDirectory scratch;
  IndexedDatasetWriter writer(scratch / "a", TokenType::uint16, {.has_loss_mask = true});
  for (std::int32_t d = 0; d < 100; ++d) {
    const auto size = static_cast<std::size_t>(10 + d);
    writer.append(std::vector<std::int32_t>(size, d), std::vector<std::uint8_t>(size, 1));
    writer.end_document();
  }
  writer.finish();
  const std::vector<std::string> prefixes{(scratch / "a").string(), (scratch / "a").string()};
  const auto corpus = std::make_shared<const Corpus>(prefixes);
  std::vector<std::int32_t> tokens(4 * 64), targets(4 * 64), positions(4 * 64), segment_ids(4 * 64);
  for (const auto& [packed, whole] : {std::pair(false, false), {true, false}, {true, true}}) {
    const DatasetOptions options{.seq_length = 64,
                                 .vocab_size = 100,
                                 .shuffle = true,
                                 .packed_documents = packed,
                                 .whole_documents = whole};
    const SampleStream stream(corpus, {0, corpus->tokens()}, options);
    for (const std::size_t streams :
         {std::size_t{1}, std::size_t{3}}) {  // a blend if more than one
      const std::vector<double> weights(streams, 0.7);
      const Dataset dataset(std::vector<SampleStream>(streams, stream), weights);
      const std::int64_t before = testing::allocation_count();
      for (std::int64_t first = 0; first < 400; first += 4) {
        dataset.fill(first, {tokens, targets, positions, segment_ids});
        (void)dataset.hash_samples(0, first, 4);
        (void)dataset.tokens_of(first, 4);
      }
      EXPECT_EQ(testing::allocation_count() - before, 0)
          << "packed " << packed << ", whole " << whole << ", streams " << streams;
    }
  }
}

}  // namespace
}  // namespace megascale
