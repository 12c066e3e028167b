#ifndef MEGASCALE_GRAPH_OPERAND_TABLE_H_
#define MEGASCALE_GRAPH_OPERAND_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <vector>

// Tables of the operands of an op kind. A kind declares an enumeration of its operands and writes
// the table with the enumerators:
//
//   namespace gelu {
//   enum Operand : std::size_t { input, output };
//   }
//   ... .operands = operand_table<Reads<gelu::input>, Writes<gelu::output>>() ...
//
// The compiler checks that the table lists all enumerators in their order. It also supplies their
// names, so the number and the name of an operand cannot disagree.
namespace megascale::graph {

// The use that an op makes of an operand.
enum class Access : std::uint8_t {
  read,
  write,       // every byte of the range is written, none is read
  accumulate,  // read and written
  // For main gradients and sums: written on the first micro-batch of a step, accumulated into on
  // later ones. Where each micro-batch reduces its gradients by itself, they are always written.
  first_writes
};

// The name and the use of one operand.
struct OperandSpec {
  std::string_view name;
  Access access = Access::read;
  bool optional = false;
};

// Returns the name of an enumerator without its scope. The language has no reflection yet, but g++
// and clang print template arguments in __PRETTY_FUNCTION__.
template <auto kEnumerator>
consteval std::string_view enumerator_name() {
  constexpr std::string_view kKey = "kEnumerator = ";
  const std::string_view text = __PRETTY_FUNCTION__;
  const std::size_t begin = text.find(kKey) + kKey.size();
  const std::string_view value = text.substr(begin, text.find_first_of(";]", begin) - begin);
  return value.substr(value.rfind(':') + 1);
}

// One line of a table: an enumerator, the use of the operand, and whether it may be absent.
template <auto kName, Access kAccess, bool kOptional>
struct OperandLine {
  static_assert(std::is_enum_v<decltype(kName)>);
  static constexpr auto kOperand = kName;
  static constexpr OperandSpec kSpec{enumerator_name<kName>(), kAccess, kOptional};
};
template <auto kName>
using Reads = OperandLine<kName, Access::read, false>;
template <auto kName>
using MayRead = OperandLine<kName, Access::read, true>;
template <auto kName>
using Writes = OperandLine<kName, Access::write, false>;
template <auto kName>
using MayWrite = OperandLine<kName, Access::write, true>;
template <auto kName>
using Accumulates = OperandLine<kName, Access::accumulate, false>;
template <auto kName>
using FirstWrites = OperandLine<kName, Access::first_writes, false>;
template <auto kName>
using MayFirstWrite = OperandLine<kName, Access::first_writes, true>;

// Returns the table of a kind.
template <class First, class... Lines>
[[nodiscard]] std::vector<OperandSpec> operand_table() {
  static_assert((std::is_same_v<decltype(First::kOperand), decltype(Lines::kOperand)> && ...),
                "the operands of a kind are enumerators of one enumeration");
  static_assert(
      [] {
        std::size_t number = 0;
        bool in_order = static_cast<std::size_t>(First::kOperand) == number;
        ((in_order = in_order && static_cast<std::size_t>(Lines::kOperand) == ++number), ...);
        return in_order;
      }(),
      "the table lists the enumerators in their order, each once");
  return {First::kSpec, Lines::kSpec...};
}

}  // namespace megascale::graph

#endif  // MEGASCALE_GRAPH_OPERAND_TABLE_H_
