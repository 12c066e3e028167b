#include "megascale/kernels/cpu/dispatch_map.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

namespace megascale::kernels {
namespace {

using Indices = std::vector<std::int32_t>;
using Counts = std::vector<std::int64_t>;

constexpr std::int32_t kPoison = -77;

Indices random_choices(std::size_t slots, std::int32_t first, std::int32_t last, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<std::int32_t> any(first, last);
  Indices choice(slots);
  for (std::int32_t& c : choice) c = any(random);
  return choice;
}

struct Mapped {
  Indices source, place;  // source has one element more than the bound, which must stay
  Counts counts;
  std::int64_t wanted = 0;
};

Mapped map(const Indices& choice, std::size_t first, std::size_t experts, std::size_t bound) {
  Mapped m{Indices(bound + 1, kPoison), Indices(choice.size() + 1, kPoison),
           Counts(experts + 1, kPoison)};
  m.wanted = cpu::dispatch_map({.slots = choice.size(),
                                .first = first,
                                .experts = experts,
                                .bound = bound,
                                .choice = choice.data(),
                                .source = m.source.data(),
                                .place = m.place.data(),
                                .counts = m.counts.data()});
  EXPECT_EQ(m.source.back(), kPoison);
  EXPECT_EQ(m.place.back(), kPoison);
  EXPECT_EQ(m.counts.back(), kPoison);
  m.place.pop_back();
  m.counts.pop_back();
  return m;
}

// The map by its definition: a stable sort of the slots by expert, cut at the bound.
void expect_map(const Indices& choice, std::size_t first, std::size_t experts, std::size_t bound) {
  const Mapped got = map(choice, first, experts, bound);
  const auto low = static_cast<std::int32_t>(first),
             high = static_cast<std::int32_t>(first + experts);
  Indices order;
  for (std::size_t slot = 0; slot < choice.size(); ++slot)
    if (choice[slot] >= low && choice[slot] < high)
      order.push_back(static_cast<std::int32_t>(slot));
  std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    return choice[static_cast<std::size_t>(a)] < choice[static_cast<std::size_t>(b)];
  });
  EXPECT_EQ(got.wanted, static_cast<std::int64_t>(order.size()));
  if (order.size() > bound) order.resize(bound);
  Indices place(choice.size(), -1);
  Counts counts(experts);
  for (std::size_t row = 0; row < order.size(); ++row) {
    const auto slot = static_cast<std::size_t>(order[row]);
    place[slot] = static_cast<std::int32_t>(row);
    ++counts[static_cast<std::size_t>(choice[slot] - low)];
  }
  EXPECT_EQ(got.place, place);
  EXPECT_EQ(got.counts, counts);
  EXPECT_EQ(Indices(got.source.begin(), got.source.begin() + order.size()), order);
  for (std::size_t row = order.size(); row < bound; ++row) EXPECT_EQ(got.source[row], kPoison);
}

TEST(DispatchMapTest, OrdersByExpertThenBySlot) {
  for (const std::size_t slots : {0, 1, 7, 64, 1001}) {
    for (const std::size_t experts : {1, 3, 8, 65}) {
      const auto choice = random_choices(slots, 0, static_cast<std::int32_t>(experts) - 1, 5);
      expect_map(choice, 0, experts, slots);
      expect_map(choice, 0, experts, slots + 9);
    }
  }
}

TEST(DispatchMapTest, DropsWhatIsBehindTheBound) {
  const auto choice = random_choices(300, 0, 7, 6);
  for (const std::size_t bound : {0, 1, 37, 150, 299}) expect_map(choice, 0, 8, bound);
}

// A rank maps its own experts only. Numbers outside, negative ones too, are dropped choices.
TEST(DispatchMapTest, LeavesOutOtherExperts) {
  const auto choice = random_choices(500, -3, 12, 7);
  for (const std::size_t first : {0, 2, 6}) {
    expect_map(choice, first, 4, 500);
    expect_map(choice, first, 4, 20);
  }
  const Indices extremes{std::numeric_limits<std::int32_t>::min(), 1,
                         std::numeric_limits<std::int32_t>::max()};
  expect_map(extremes, 0, 2, 3);
  expect_map(extremes, 1, 1, 3);
}

TEST(DispatchMapTest, AllToOneExpertAndNoneToAnother) {
  expect_map(Indices(40, 3), 0, 8, 40);
  expect_map(Indices(40, 3), 0, 8, 10);
  const Mapped got = map({2, 0, 2, 0}, 0, 4, 4);
  EXPECT_EQ(got.counts, (Counts{2, 0, 2, 0}));
  EXPECT_EQ(got.place, (Indices{2, 0, 3, 1}));
}

// 2 ranks with 4 experts each, in 2 pieces: a piece has the rows for its experts, in the order of a map of
// all, and the counts of all choices.
TEST(DispatchMapTest, APieceHasTheRowsOfSomeExpertsOfEveryRank) {
  const Indices choice{7, 0, 2, 5, 1, 6, 0, 4};
  const auto piece = [&](std::size_t number) {
    Mapped m{Indices(8, kPoison), Indices(8, kPoison), Counts(8, kPoison)};
    m.wanted = cpu::dispatch_map({.slots = 8,
                                  .experts = 8,
                                  .ranks = 2,
                                  .pieces = 2,
                                  .piece = number,
                                  .bound = 8,
                                  .choice = choice.data(),
                                  .source = m.source.data(),
                                  .place = m.place.data(),
                                  .counts = m.counts.data()});
    EXPECT_EQ(m.counts, (Counts{2, 1, 1, 0, 1, 1, 1, 1}));
    m.source.resize(static_cast<std::size_t>(m.wanted));
    return m;
  };
  const Mapped first = piece(0), second = piece(1);  // experts 0, 1, 4, 5 and 2, 3, 6, 7
  EXPECT_EQ(first.source, (Indices{1, 6, 4, 7, 3}));
  EXPECT_EQ(first.place, (Indices{-1, 0, -1, 4, 2, -1, 1, 3}));
  EXPECT_EQ(second.source, (Indices{2, 5, 0}));
  EXPECT_EQ(second.place, (Indices{2, -1, 0, -1, -1, 1, -1, -1}));
}

TEST(SumCountsTest, AddsConsecutiveExperts) {
  const Counts counts{1, 2, 3, 4, 5, 6};
  Counts got(3, kPoison);
  cpu::sum_counts(counts.data(), 2, 2, 3, got.data());
  EXPECT_EQ(got, (Counts{3, 7, 11}));
  cpu::sum_counts(counts.data() + 1, 1, 2, 3, got.data());
  EXPECT_EQ(got, (Counts{2, 4, 6})) << "every second one";
}

struct Drop {
  std::size_t top_k, groups;
  std::int64_t capacity;
  std::vector<std::uint8_t> exempt;
};

std::pair<Indices, std::int64_t> drop(const Indices& choice, const std::vector<float>& affinity,
                                      const Drop& d) {
  Indices kept(choice.size() + 1, kPoison), in_place = choice;
  std::vector<std::uint64_t> scratch(choice.size());
  cpu::DropOverCapacity args{.tokens = choice.size() / d.top_k,
                             .experts = 8,
                             .top_k = d.top_k,
                             .groups = d.groups,
                             .capacity = d.capacity,
                             .choice = choice.data(),
                             .affinity = affinity.data(),
                             .exempt = d.exempt.empty() ? nullptr : d.exempt.data(),
                             .kept = kept.data(),
                             .scratch = scratch.data()};
  const std::int64_t dropped = cpu::drop_over_capacity(args);
  EXPECT_EQ(kept.back(), kPoison);
  kept.pop_back();
  args.choice = args.kept = in_place.data();
  EXPECT_EQ(cpu::drop_over_capacity(args), dropped);
  EXPECT_EQ(in_place, kept);
  return {kept, dropped};
}

// By the definition: each group sorts its slots and keeps the first ones.
TEST(DropOverCapacityTest, KeepsTheHighestAffinitiesOfEachGroup) {
  std::mt19937 random(9);
  std::uniform_int_distribution<int> level(-4, 5);  // many ties, negative values and zeros
  for (const std::size_t groups : {1, 2, 8}) {
    for (const std::int64_t capacity : {-3, 0, 1, 17, 60, 1000}) {
      for (const bool with_exempt : {false, true}) {
        const auto choice = random_choices(200, -1, 8, 8);
        std::vector<float> affinity(choice.size());
        for (float& a : affinity) {
          const int value = level(random);
          a = value == 5 ? NAN : static_cast<float>(value) * 0.25F;
        }
        Drop d{.top_k = 2, .groups = groups, .capacity = capacity, .exempt = {}};
        if (with_exempt)
          for (std::size_t n = 0; n < 100; ++n) d.exempt.push_back(n % 7 == 0 ? 3 : 0);
        const auto [kept, dropped] = drop(choice, affinity, d);
        Indices want = choice;
        std::int64_t count = 0;
        for (std::size_t group = 0; group < groups; ++group) {
          std::vector<std::size_t> slots;
          std::int64_t exempt = 0;
          for (std::size_t slot = 0; slot < choice.size(); ++slot) {
            if (choice[slot] < 0 || choice[slot] >= 8) continue;
            if (static_cast<std::size_t>(choice[slot]) / (8 / groups) != group) continue;
            if (with_exempt && d.exempt[slot / 2] != 0) {
              ++exempt;
            } else {
              slots.push_back(slot);
            }
          }
          const auto rank = [&](std::size_t slot) {
            return std::isnan(affinity[slot]) ? -1e30F : affinity[slot];
          };
          std::stable_sort(slots.begin(), slots.end(),
                           [&](auto a, auto b) { return rank(a) > rank(b); });
          const auto room = static_cast<std::size_t>(std::max<std::int64_t>(0, capacity - exempt));
          for (std::size_t i = room; i < slots.size(); ++i, ++count) want[slots[i]] = 8;
        }
        EXPECT_EQ(kept, want) << groups << " groups, capacity " << capacity;
        EXPECT_EQ(dropped, count);
      }
    }
  }
}

TEST(DropOverCapacityTest, NegativeZeroTiesWithZero) {
  const auto [kept, dropped] =
      drop({0, 0, 0}, {-0.0F, 0.0F, -1}, {.top_k = 1, .groups = 1, .capacity = 1, .exempt = {}});
  EXPECT_EQ(kept, (Indices{0, 8, 8}));
  EXPECT_EQ(dropped, 2);
}

struct Regrouped {
  Indices order, inverse;
  Counts groups, received;
  std::int64_t rows = 0;
};
Regrouped regroup(const Counts& arrived, std::size_t ranks, std::size_t experts,
                  std::size_t bound) {
  Regrouped r{Indices(bound, kPoison), Indices(bound, kPoison), Counts(experts, kPoison),
              Counts(ranks, kPoison)};
  r.rows = cpu::regroup_map({.ranks = ranks,
                             .experts = experts,
                             .bound = bound,
                             .arrived = arrived.data(),
                             .order = r.order.data(),
                             .inverse = r.inverse.data(),
                             .groups = r.groups.data(),
                             .received = r.received.data()});
  return r;
}

TEST(RegroupMapTest, OrdersByExpertThenByRank) {
  //  rank 0: 2 rows of expert 0, 1 of 1, none of 2;  rank 1: none, 2, 1
  const Regrouped r = regroup({2, 1, 0, 0, 2, 1}, 2, 3, 8);
  EXPECT_EQ(r.rows, 6);
  EXPECT_EQ(r.order, (Indices{0, 1, 2, 3, 4, 5, kPoison, kPoison}));
  const Regrouped other = regroup({1, 2, 2, 1}, 2, 2, 6);
  EXPECT_EQ(other.order, (Indices{0, 3, 4, 1, 2, 5}));
  EXPECT_EQ(other.inverse, (Indices{0, 3, 4, 1, 2, 5}));
  EXPECT_EQ(other.groups, (Counts{3, 3}));
  EXPECT_EQ(other.received, (Counts{3, 3}));
  const Regrouped asymmetric = regroup({0, 3, 1, 0, 2, 2}, 3, 2, 8);
  EXPECT_EQ(asymmetric.order, (Indices{3, 4, 5, 0, 1, 2, 6, 7}));
  EXPECT_EQ(asymmetric.inverse, (Indices{3, 4, 5, 0, 1, 2, 6, 7}));
  EXPECT_EQ(asymmetric.groups, (Counts{3, 5}));
  EXPECT_EQ(asymmetric.received, (Counts{3, 1, 4}));
}

TEST(RegroupMapTest, APieceLeavesOutTheOtherExperts) {
  const Counts arrived{50, 60, 1, 2, 70, 80, 2, 1};  // 2 ranks, 4 experts, of which the last 2
  Regrouped r{Indices(6, kPoison), Indices(6, kPoison), Counts(2), Counts(2)};
  const auto regroup_piece = [&](std::size_t bound) {
    return cpu::regroup_map({.ranks = 2,
                             .experts = 2,
                             .pieces = 2,
                             .piece = 1,
                             .bound = bound,
                             .arrived = arrived.data(),
                             .order = r.order.data(),
                             .inverse = r.inverse.data(),
                             .groups = r.groups.data(),
                             .received = r.received.data()});
  };
  EXPECT_EQ(regroup_piece(6), 6);
  EXPECT_EQ(r.order, (Indices{0, 3, 4, 1, 2, 5}));
  EXPECT_EQ(r.groups, (Counts{3, 3}));
  EXPECT_EQ(r.received, (Counts{3, 3}));
  EXPECT_EQ(regroup_piece(5), -1);
}

// Rows that carry (rank, expert, number) end in the order that the definition says.
TEST(RegroupMapTest, IsASortAndItsInverse) {
  for (const auto& [ranks, experts] : {std::pair<std::size_t, std::size_t>{1, 1}, {3, 5}, {4, 2}}) {
    Counts arrived;
    for (std::size_t i = 0; i < ranks * experts; ++i)
      arrived.push_back(static_cast<std::int64_t>(i * 7 % 5));
    std::vector<std::pair<std::size_t, Indices>> rows;  // the expert, and (rank, arrival row)
    std::int32_t arrival = 0;
    for (std::size_t i = 0; i < arrived.size(); ++i)
      for (std::int64_t c = 0; c < arrived[i]; ++c)
        rows.push_back({i % experts, {static_cast<std::int32_t>(i / experts), arrival++}});
    std::stable_sort(rows.begin(), rows.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    const Regrouped r = regroup(arrived, ranks, experts, rows.size());
    ASSERT_EQ(r.rows, static_cast<std::int64_t>(rows.size()));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      EXPECT_EQ(r.order[i], rows[i].second[1]);
      EXPECT_EQ(r.inverse[static_cast<std::size_t>(r.order[i])], static_cast<std::int32_t>(i));
    }
  }
}

TEST(RegroupMapTest, RefusesWrongCounts) {
  for (const Counts& counts : {Counts{1, -1}, Counts{3, 2}, Counts{5, 0},
                               Counts{std::numeric_limits<std::int64_t>::max(),
                                      std::numeric_limits<std::int64_t>::max()}}) {
    const Regrouped r = regroup(counts, 2, 1, 4);
    EXPECT_EQ(r.rows, -1);
    EXPECT_EQ(r.order, Indices(4, kPoison));
    EXPECT_EQ(r.groups, Counts(1, kPoison));
    EXPECT_EQ(r.received, Counts(2, kPoison));
  }
  EXPECT_EQ(regroup({0, 0}, 2, 1, 4).rows, 0);
}

}  // namespace
}  // namespace megascale::kernels
