#ifndef MEGASCALE_BASE_DTYPE_H_
#define MEGASCALE_BASE_DTYPE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace megascale {

// Element types of tensors. The CPU executes float32, integers and parameters in float8_e4m3; plans with
// bfloat16 can be verified, sized and simulated on a CPU, but not executed.
enum class DType : std::uint8_t {
  float32,
  bfloat16,
  float64,
  float8_e4m3,
  int32,
  int64,
  uint8,
  uint16
};

// Returns the bytes of one element.
[[nodiscard]] constexpr std::size_t itemsize(DType dtype) noexcept {
  switch (dtype) {
    case DType::float32:
    case DType::int32:
      return 4;
    case DType::float64:
    case DType::int64:
      return 8;
    case DType::bfloat16:
    case DType::uint16:
      return 2;
    case DType::float8_e4m3:
    case DType::uint8:
      return 1;
  }
  return 0;
}

// Returns the name of the type, such as "float32".
[[nodiscard]] constexpr std::string_view to_string(DType dtype) noexcept {
  switch (dtype) {
    case DType::float32:
      return "float32";
    case DType::bfloat16:
      return "bfloat16";
    case DType::float64:
      return "float64";
    case DType::float8_e4m3:
      return "float8_e4m3";
    case DType::int32:
      return "int32";
    case DType::int64:
      return "int64";
    case DType::uint8:
      return "uint8";
    case DType::uint16:
      return "uint16";
  }
  return "?";
}

}  // namespace megascale

#endif  // MEGASCALE_BASE_DTYPE_H_
