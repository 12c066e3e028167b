#ifndef MEGASCALE_BASE_TRANSFER_RULE_H_
#define MEGASCALE_BASE_TRANSFER_RULE_H_

#include <cstdint>
#include <string_view>

// What a kind of transfer does among the n members of a group, as data. An op kind names its rule
// (graph::OpDef::transfer); verification, the communication back ends, the simulator and the
// reports read the rule and know no kind by its name. A new kind is one more rule.
//
// Every member takes bytes from the members that `source` names. A giver gives each taker a share
// of its bytes, and the taker puts it where `placed` says. Member order is the order of the group.
namespace megascale {

struct TransferRule {
  enum class Source : std::uint8_t {
    all,     // from every member, itself included
    ahead,   // from member (own place + offset) mod n, a ring of any stride
    root,    // from member `root`
    partner  // from the only other member, which runs the opposite kind
  };
  enum class Share : std::uint8_t {
    whole,  // given: all bytes of the giver; placed: fills the taker's memory
    block   // given: block number <taker> of n equal ones; placed: block number <giver> of n
  };
  enum class Memory : std::uint8_t {
    apart,      // what is given and what is taken do not overlap
    own_block,  // apart, or the smaller one lies in its own block of the larger one
    same        // one buffer holds both
  };

  std::string_view name;  // for messages and for tables of measured rates
  Source source = Source::all;
  Share given = Share::whole;
  Share placed = Share::whole;
  Memory memory = Memory::apart;
  bool sum = false;  // the shares of all sources are added, in member order
  // Blocks have sizes of their own, read at run time: how many rows this member gives to each and
  // takes from each. They lie one behind the other, in member order.
  bool counted = false;
  bool gives = true;  // false: this side only takes (recv)
  bool takes = true;  // false: this side only gives (send)

  // Every member ends with the same sum over all bytes (all_reduce).
  [[nodiscard]] constexpr bool sums_everything() const noexcept {
    return sum && given == Share::whole;
  }
  [[nodiscard]] constexpr bool between_two() const noexcept { return source == Source::partner; }
  // Each member gives to one member and takes from one: a single step of a ring, or a pair.
  [[nodiscard]] constexpr bool point_to_point() const noexcept {
    return source == Source::partner || source == Source::ahead;
  }

  [[nodiscard]] constexpr bool moves_nothing() const noexcept { return !gives && !takes; }
  // Whether back ends can carry it out: sums are of blocks, or of one buffer that holds both.
  [[nodiscard]] constexpr bool is_valid() const noexcept {
    if (sum && (source != Source::all || placed != Share::whole || counted)) return false;
    if (sum) return given == Share::block ? memory != Memory::same : memory == Memory::same;
    if (counted) return given == Share::block && placed == Share::block && source == Source::all;
    return memory != Memory::same || source == Source::root;
  }
  // A number that says all of the rule but its name: ranks compare it to see that they do the same.
  [[nodiscard]] constexpr std::uint16_t code() const noexcept {
    const auto bits = [](auto value, int shift) { return static_cast<unsigned>(value) << shift; };
    return static_cast<std::uint16_t>(bits(source, 0) | bits(given, 2) | bits(placed, 3) |
                                      bits(memory, 4) | bits(sum, 6) | bits(counted, 7) |
                                      bits(gives, 8) | bits(takes, 9));
  }
  // The code of the kind that the members on the other side run; their own, but for pairs.
  [[nodiscard]] constexpr std::uint16_t partner_code() const noexcept {
    TransferRule partner = *this;
    if (between_two()) {
      partner.gives = takes;
      partner.takes = gives;
    }
    return partner.code();
  }

  // What must be equal on all members besides the kind and the sizes.
  [[nodiscard]] constexpr bool has_root() const noexcept { return source == Source::root; }
  [[nodiscard]] constexpr bool has_offset() const noexcept { return source == Source::ahead; }

  // Bytes that a member hands over to others, whatever the algorithm. `given_nbytes`: what it gives
  // (of one buffer that holds both: all of it). A broadcast counts as a chain: every member but the
  // last sends once, so (n - 1)/n on average. A sum over everything counts as a reduce-scatter and
  // a gather. `offset`: of a ring; 0 means to itself.
  [[nodiscard]] double handed_over(double given_nbytes, double n,
                                   std::int64_t offset) const noexcept;
};

// The kinds that megascale's own plans use.
namespace transfer_rules {
using Rule = TransferRule;
// Blocks of all members, in member order.
inline constexpr Rule all_gather{
    .name = "all_gather", .placed = Rule::Share::block, .memory = Rule::Memory::own_block};
// The sum over members of their block number <own place>.
inline constexpr Rule reduce_scatter{.name = "reduce_scatter",
                                     .given = Rule::Share::block,
                                     .memory = Rule::Memory::own_block,
                                     .sum = true};
inline constexpr Rule all_reduce{.name = "all_reduce", .memory = Rule::Memory::same, .sum = true};
inline constexpr Rule all_to_all{
    .name = "all_to_all", .given = Rule::Share::block, .placed = Rule::Share::block};
// As all_to_all, with blocks of sizes that both sides of every pair know.
inline constexpr Rule all_to_all_v{.name = "all_to_all_v",
                                   .given = Rule::Share::block,
                                   .placed = Rule::Share::block,
                                   .counted = true};
inline constexpr Rule broadcast{
    .name = "broadcast", .source = Rule::Source::root, .memory = Rule::Memory::same};
inline constexpr Rule shift{.name = "shift", .source = Rule::Source::ahead};
inline constexpr Rule send{.name = "send", .source = Rule::Source::partner, .takes = false};
inline constexpr Rule recv{.name = "recv", .source = Rule::Source::partner, .gives = false};
// No bytes: done when every member has started it.
inline constexpr Rule barrier{.name = "barrier", .gives = false, .takes = false};

// The name of the kind with this code among those above; "another kind" for others.
[[nodiscard]] std::string_view name_of(std::uint16_t code) noexcept;
}  // namespace transfer_rules

}  // namespace megascale

#endif  // MEGASCALE_BASE_TRANSFER_RULE_H_
