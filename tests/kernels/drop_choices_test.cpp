// Dropping in a micro-batch that several ranks divide: every rank writes its own part of one result.
#include "megascale/kernels/cpu/drop_choices.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace megascale {
namespace {

namespace cpu = kernels::cpu;

constexpr std::size_t kSequences = 3, kLength = 8, kTokens = kSequences * kLength, kChoices = 2,
                      kExpertsOfTest = 6;
constexpr std::int32_t kUnwritten = -77;

// One micro-batch, by sequence and position.
struct MicroBatch {
  std::vector<std::int32_t> choice;
  std::vector<float> affinity;
};

MicroBatch random_micro_batch() {
  MicroBatch result;
  std::mt19937 random(5);
  std::uniform_int_distribution<std::int32_t> expert(0, kExpertsOfTest - 1), level(1, 3);
  for (std::size_t slot = 0; slot < kTokens * kChoices; ++slot) {
    result.choice.push_back(expert(random));
    result.affinity.push_back(static_cast<float>(level(random)) * 0.25F);  // many ties
  }
  return result;
}

// By the definition: the slots of a group, the best first, and among equals the earlier first.
std::vector<std::int32_t> kept_by_definition(const MicroBatch& all, std::size_t groups,
                                             std::size_t capacity,
                                             const std::vector<std::int32_t>& exempt) {
  std::vector<std::int32_t> kept = all.choice;
  for (std::size_t group = 0; group < groups; ++group) {
    std::vector<std::size_t> slots;
    std::size_t room = capacity;
    for (std::size_t slot = 0; slot < all.choice.size(); ++slot) {
      if (static_cast<std::size_t>(all.choice[slot]) * groups / kExpertsOfTest != group) continue;
      if (!exempt.empty() && exempt[slot / kChoices / kLength] != 0) {
        room -= std::min<std::size_t>(room, 1);
      } else {
        slots.push_back(slot);
      }
    }
    std::stable_sort(slots.begin(), slots.end(),
                     [&](auto a, auto b) { return all.affinity[a] > all.affinity[b]; });
    for (std::size_t i = room; i < slots.size(); ++i) kept[slots[i]] = kExpertsOfTest;
  }
  return kept;
}

// The tokens in the order in which `contexts` context ranks gather them.
std::vector<std::size_t> gathered_order(std::size_t contexts) {
  std::vector<std::size_t> order;
  const std::size_t share = kLength / contexts;
  for (std::size_t context = 0; context < contexts; ++context)
    for (std::size_t sequence = 0; sequence < kSequences; ++sequence)
      for (std::size_t position = 0; position < share; ++position)
        order.push_back(sequence * kLength + context * share + position);
  return order;
}

TEST(DropChoicesTest, EveryDivisionDropsTheSameChoices) {
  const MicroBatch all = random_micro_batch();
  for (const std::vector<std::int32_t>& exempt :
       {std::vector<std::int32_t>{}, std::vector<std::int32_t>{0, 1, 0}}) {
    for (const std::size_t groups : {1, 3, 6}) {
      const std::size_t capacity =
          (kTokens * kChoices + groups - 1) / groups - (groups == 1 ? 9 : 0);
      const auto want = kept_by_definition(all, groups, capacity, exempt);
      ASSERT_NE(want, all.choice) << "nothing is dropped";
      for (const std::size_t contexts : {1, 2, 4}) {
        for (const std::size_t ranks : {contexts, 2 * contexts}) {  // with tensor ranks
          SCOPED_TRACE(::testing::Message() << groups << " groups, " << contexts << " of " << ranks
                                            << " ranks, exempt: " << !exempt.empty());
          const std::vector<std::size_t> order = gathered_order(contexts);
          MicroBatch gathered;
          for (const std::size_t token : order) {
            for (std::size_t j = 0; j < kChoices; ++j) {
              gathered.choice.push_back(all.choice[token * kChoices + j]);
              gathered.affinity.push_back(all.affinity[token * kChoices + j]);
            }
          }
          std::vector<std::int32_t> got(all.choice.size(), kUnwritten);
          std::int64_t dropped = 0;
          const std::size_t own = kTokens / ranks;
          for (std::size_t rank = 0; rank < ranks; ++rank) {
            std::vector<std::int32_t> kept(own * kChoices + 1, kUnwritten);
            std::vector<std::uint64_t> scratch(
                cpu::drop_choices_scratch_bytes(kTokens, kChoices) / sizeof(std::uint64_t) + 1,
                ~0ULL);
            dropped += cpu::drop_choices({.sequences = kSequences,
                                          .length = kLength,
                                          .contexts = contexts,
                                          .experts = kExpertsOfTest,
                                          .top_k = kChoices,
                                          .groups = groups,
                                          .capacity = static_cast<std::int64_t>(capacity),
                                          .first = rank * own,
                                          .tokens = own,
                                          .choice = gathered.choice.data(),
                                          .affinity = gathered.affinity.data(),
                                          .exempt = exempt.empty() ? nullptr : exempt.data(),
                                          .kept = kept.data()},
                                         reinterpret_cast<std::byte*>(scratch.data()));
            EXPECT_EQ(kept.back(), kUnwritten);
            for (std::size_t token = 0; token < own; ++token)
              std::copy_n(
                  kept.begin() + static_cast<std::ptrdiff_t>(token * kChoices), kChoices,
                  got.begin() + static_cast<std::ptrdiff_t>(order[rank * own + token] * kChoices));
          }
          EXPECT_EQ(got, want);
          EXPECT_EQ(dropped, std::count(want.begin(), want.end(),
                                        static_cast<std::int32_t>(kExpertsOfTest)));
        }
      }
    }
  }
}

// A group keeps a multiple of the mean of the choices that are there. Padding has none.
TEST(DropChoicesTest, ACapacityLeavesOutPadding) {
  MicroBatch all = random_micro_batch();
  std::size_t choices = all.choice.size();
  for (std::size_t token = 0; token < kTokens; ++token) {
    if (token % kLength < kLength - 3 + token / kLength) continue;
    for (std::size_t j = 0; j < kChoices; ++j) all.choice[token * kChoices + j] = kExpertsOfTest;
    choices -= kChoices;
  }
  ASSERT_EQ(choices, (kTokens - 6) * kChoices);
  std::vector<std::int32_t> kept(all.choice.size(), kUnwritten);
  std::vector<std::uint64_t> scratch(
      cpu::drop_choices_scratch_bytes(kTokens, kChoices) / sizeof(std::uint64_t) + 1, ~0ULL);
  cpu::DropChoices args{.sequences = kSequences,
                        .length = kLength,
                        .experts = kExpertsOfTest,
                        .top_k = kChoices,
                        .groups = 3,
                        .capacity = 1000,
                        .factor = 1.05,
                        .tokens = kTokens,
                        .choice = all.choice.data(),
                        .affinity = all.affinity.data(),
                        .kept = kept.data()};
  const auto drop = [&] {
    return cpu::drop_choices(args, reinterpret_cast<std::byte*>(scratch.data()));
  };
  EXPECT_GT(drop(), 0);
  EXPECT_EQ(kept, kept_by_definition(all, 3, 13, {})) << "1.05 x 36 / 3, rounded up";
  args.capacity = 11;  // for which there is memory
  EXPECT_GT(drop(), 0);
  EXPECT_EQ(kept, kept_by_definition(all, 3, 11, {}));
}

}  // namespace
}  // namespace megascale
