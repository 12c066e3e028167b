// Digests over XXH3 of the library xxHash. The state of a stream is an untyped pointer, so that the
// header does not need xxhash.h.
#include "megascale/base/digest.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <new>

namespace megascale {
namespace {
std::string to_hex(XXH128_hash_t hash) {
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}
XXH3_state_t* as_state(void* state) noexcept { return static_cast<XXH3_state_t*>(state); }
}  // namespace

std::uint64_t digest64(std::span<const std::byte> bytes) noexcept {
  return XXH3_64bits(bytes.data(), bytes.size());
}

std::string digest128(std::span<const std::byte> bytes) {
  return to_hex(XXH3_128bits(bytes.data(), bytes.size()));
}

void DigestStream::StateDeleter::operator()(void* state) const noexcept {
  XXH3_freeState(as_state(state));
}

DigestStream::DigestStream() : state_(XXH3_createState()) {
  if (!state_) throw std::bad_alloc();
  XXH3_128bits_reset(as_state(state_.get()));
}

void DigestStream::update(std::span<const std::byte> bytes) {
  XXH3_128bits_update(as_state(state_.get()), bytes.data(), bytes.size());
}

void DigestStream::update(std::string_view text) {
  update(std::as_bytes(std::span(text.data(), text.size())));
}

std::string DigestStream::finish() const {
  return to_hex(XXH3_128bits_digest(as_state(state_.get())));
}

}  // namespace megascale
