#ifndef MEGASCALE_BASE_TRANSFER_RULE_H_
#define MEGASCALE_BASE_TRANSFER_RULE_H_

#include <cstdint>
#include <string_view>

// A TransferRule describes, as data, how one kind of transfer (such as all_gather) moves bytes
// among the n members of a group. An op kind names its rule (graph::OpDef::transfer). Verification,
// the communication back ends, the simulator and the reports read the rule; none of them depends on
// the name of a kind. A new kind of transfer is therefore one more rule here.
//
// A rule distinguishes givers and takers; a member is usually both. Every member takes bytes from
// the members that `source` names. A giver gives each taker a share of its bytes (`given`), and the
// taker stores it where `placed` says. Members are numbered in the order of the group.
namespace megascale {

struct TransferRule {
  enum class Source : std::uint8_t {
    all,     // from every member, itself included
    ahead,   // from member (own number + offset) mod n: one step of a ring with any stride
    root,    // from member `root`
    partner  // from the only other member, which runs the opposite kind (send and recv)
  };
  enum class Share : std::uint8_t {
    whole,  // given: all bytes of the giver. placed: the share fills the taker's memory
    block   // given: of n equal blocks, the one with the taker's number.
            // placed: the share becomes the block with the giver's number
  };
  // How the memory that a member gives from and the memory that it takes into may overlap.
  enum class Memory : std::uint8_t {
    apart,      // they must not overlap
    own_block,  // they do not overlap, or the smaller one is the member's own block of the larger
    same        // they are the same buffer
  };

  std::string_view name;  // for messages and for tables of measured rates
  Source source = Source::all;
  Share given = Share::whole;
  Share placed = Share::whole;
  Memory memory = Memory::apart;
  bool sum = false;  // the taker adds the shares of all sources, in member order
  // true: the blocks have different sizes, which are read at run time. For every member there
  // is a number of rows to give and a number of rows to take. The blocks lie one after the other,
  // in member order.
  bool counted = false;
  bool gives = true;  // false: this side only takes (recv)
  bool takes = true;  // false: this side only gives (send)

  // Returns true if every member ends with the sum of all members' buffers (all_reduce).
  [[nodiscard]] constexpr bool sums_everything() const noexcept {
    return sum && given == Share::whole;
  }
  // Returns true if every member gives each other member a block of its own (all_to_all).
  [[nodiscard]] constexpr bool exchanges_blocks() const noexcept {
    return source == Source::all && given == Share::block && placed == Share::block && !sum;
  }
  // Returns true for send and recv.
  [[nodiscard]] constexpr bool between_two() const noexcept { return source == Source::partner; }
  // Returns true if a member gives to one member and takes from one: a step of a ring, or a pair.
  [[nodiscard]] constexpr bool point_to_point() const noexcept {
    return source == Source::partner || source == Source::ahead;
  }

  [[nodiscard]] constexpr bool moves_nothing() const noexcept { return !gives && !takes; }
  // Returns true if the back ends can execute the rule. They sum only in two ways: each member gets
  // the sum of one block (reduce_scatter), or all members sum one buffer in place (all_reduce).
  // They support `counted` only for blocks that all members exchange (all_to_all_v).
  [[nodiscard]] constexpr bool is_valid() const noexcept {
    if (sum && (source != Source::all || placed != Share::whole || counted)) return false;
    if (sum) return given == Share::block ? memory != Memory::same : memory == Memory::same;
    if (counted) return given == Share::block && placed == Share::block && source == Source::all;
    return memory != Memory::same || source == Source::root;
  }
  // Returns a number that encodes the whole rule except its name. Ranks compare their codes, to
  // find ranks that run different transfers.
  [[nodiscard]] constexpr std::uint16_t code() const noexcept {
    const auto bits = [](auto value, int shift) { return static_cast<unsigned>(value) << shift; };
    return static_cast<std::uint16_t>(bits(source, 0) | bits(given, 2) | bits(placed, 3) |
                                      bits(memory, 4) | bits(sum, 6) | bits(counted, 7) |
                                      bits(gives, 8) | bits(takes, 9));
  }
  // Returns the code that the partners of a member must have. It differs from code() only for
  // pairs: the partner of a send runs a recv.
  [[nodiscard]] constexpr std::uint16_t partner_code() const noexcept {
    TransferRule partner = *this;
    if (between_two()) {
      partner.gives = takes;
      partner.takes = gives;
    }
    return partner.code();
  }

  // Return true if the transfer has a root or an offset. Kind, sizes, root and offset must be equal
  // on all members.
  [[nodiscard]] constexpr bool has_root() const noexcept { return source == Source::root; }
  [[nodiscard]] constexpr bool has_offset() const noexcept { return source == Source::ahead; }

  // Returns the bytes that one member hands over to other members, on average over the members. The
  // result is the same for every algorithm of a back end. `given_nbytes` is the size of the buffer
  // that the member gives from. `n` is the size of the group. `offset` is used for rings only; with
  // offset 0 a member gives to itself, which counts as 0. A broadcast counts as a chain, in which
  // every member but the last sends once: (n - 1)/n of the bytes. A sum over everything counts as a
  // reduce_scatter and an all_gather.
  [[nodiscard]] double handed_over(double given_nbytes, double n,
                                   std::int64_t offset) const noexcept;
};

// The kinds that megascale's own plans use.
// NOLINTBEGIN(readability-identifier-naming): each constant has the name of its kind.
namespace transfer_rules {
using Rule = TransferRule;
// Every member ends with the blocks of all members, in member order.
inline constexpr Rule all_gather{
    .name = "all_gather", .placed = Rule::Share::block, .memory = Rule::Memory::own_block};
// Member i ends with the sum of block i of all members.
inline constexpr Rule reduce_scatter{.name = "reduce_scatter",
                                     .given = Rule::Share::block,
                                     .memory = Rule::Memory::own_block,
                                     .sum = true};
inline constexpr Rule all_reduce{.name = "all_reduce", .memory = Rule::Memory::same, .sum = true};
inline constexpr Rule all_to_all{
    .name = "all_to_all", .given = Rule::Share::block, .placed = Rule::Share::block};
// Like all_to_all, but the blocks have different sizes. Both sides of every pair know the size.
inline constexpr Rule all_to_all_v{.name = "all_to_all_v",
                                   .given = Rule::Share::block,
                                   .placed = Rule::Share::block,
                                   .counted = true};
inline constexpr Rule broadcast{
    .name = "broadcast", .source = Rule::Source::root, .memory = Rule::Memory::same};
inline constexpr Rule shift{.name = "shift", .source = Rule::Source::ahead};
inline constexpr Rule send{.name = "send", .source = Rule::Source::partner, .takes = false};
inline constexpr Rule recv{.name = "recv", .source = Rule::Source::partner, .gives = false};
// Moves no bytes. It is done when every member has started it.
inline constexpr Rule barrier{.name = "barrier", .gives = false, .takes = false};

// Returns the name of the rule above that has this code, or "another kind".
[[nodiscard]] std::string_view name_of(std::uint16_t code) noexcept;
}  // namespace transfer_rules
// NOLINTEND(readability-identifier-naming)

}  // namespace megascale

#endif  // MEGASCALE_BASE_TRANSFER_RULE_H_
