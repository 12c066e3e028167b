#ifndef MEGASCALE_VERSION_H_
#define MEGASCALE_VERSION_H_

namespace megascale {

// CMakeLists.txt reads it from here.
inline constexpr const char* kVersion = "0.1.0";

}  // namespace megascale

#endif  // MEGASCALE_VERSION_H_
