#ifndef MEGASCALE_BASE_VALUE_OF_H_
#define MEGASCALE_BASE_VALUE_OF_H_

#include <utility>

#include "megascale/base/error.h"

namespace megascale {

// Returns the value of a result, for a caller that cannot go on without it: throws the Error if
// there is none.
template <class T>
[[nodiscard]] T value_of(Result<T> result) {
  if (!result) throw Error(std::move(result.error()));
  return std::move(*result);
}

}  // namespace megascale

#endif  // MEGASCALE_BASE_VALUE_OF_H_
