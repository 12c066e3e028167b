// The text of a token: "msjoin-" and base64url (RFC 4648, section 5, no padding) of the fields and
// of four bytes of their digest, which tell a damaged copy from a wrong token.
#include "megascale/control/secure/join_token.h"

#include <fmt/format.h>
#include <openssl/rand.h>

#include <array>
#include <optional>
#include <span>

#include "megascale/base/digest.h"
#include "megascale/comm/store/bytes.h"

namespace megascale::secure {
namespace {

constexpr std::string_view kPrefix = "msjoin-";
constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr std::size_t kMostAddressNbytes = 255;
constexpr std::size_t kMostTextNbytes = 1024;

std::string to_base64(std::string_view bytes) {
  std::string text;
  unsigned pending = 0, nbits = 0;
  for (const char byte : bytes) {
    pending = pending << 8U | static_cast<unsigned char>(byte);
    for (nbits += 8; nbits >= 6; nbits -= 6) text += kAlphabet[pending >> (nbits - 6) & 63U];
  }
  if (nbits > 0) text += kAlphabet[pending << (6 - nbits) & 63U];
  return text;
}

std::optional<std::string> from_base64(std::string_view text) {
  std::string bytes;
  unsigned pending = 0, nbits = 0;
  for (const char c : text) {
    const std::size_t value = kAlphabet.find(c);
    if (value == std::string_view::npos) return std::nullopt;
    pending = pending << 6U | static_cast<unsigned>(value);
    nbits += 6;
    if (nbits >= 8) {
      nbits -= 8;
      bytes += static_cast<char>(pending >> nbits & 255U);
    }
  }
  // Bits that no byte holds must be zero: each token has one text.
  if (nbits >= 6 || (pending & ((1U << nbits) - 1)) != 0) return std::nullopt;
  return bytes;
}

std::uint32_t checksum(std::string_view bytes) {
  return static_cast<std::uint32_t>(digest64(std::as_bytes(std::span(bytes))));
}

std::string_view without_space(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

}  // namespace

std::string to_text(const JoinToken& token) {
  MEGASCALE_CHECK(token.secret.size() == JoinToken::kSecretNbytes &&
                      token.pin.size() == JoinToken::kPinNbytes &&
                      token.address.size() <= kMostAddressNbytes,
                  "a token's fields have their sizes");
  std::string bytes = token.secret + token.pin;
  comm::ByteWriter writer(bytes);
  writer.number(token.expires);
  writer.text(token.address);
  writer.number(checksum(bytes));
  return std::string(kPrefix) + to_base64(bytes);
}

Result<JoinToken> parse_join_token(std::string_view text) {
  const auto refuse = [](const char* why) {
    return tl::unexpected(
        Error(ErrorCode::bad_usage,
              fmt::format("expected a join token as megascale cluster token prints it; the text {}",
                          why)));
  };
  text = without_space(text);
  if (text.size() > kMostTextNbytes) return refuse("is too long");
  if (!text.starts_with(kPrefix)) return refuse("does not begin with msjoin-");
  const auto bytes = from_base64(text.substr(kPrefix.size()));
  constexpr std::size_t kFixed = JoinToken::kSecretNbytes + JoinToken::kPinNbytes;
  if (!bytes || bytes->size() < kFixed) return refuse("is damaged; copy all of it");
  comm::ByteReader reader(std::string_view(*bytes).substr(kFixed));
  JoinToken token{.secret = bytes->substr(0, JoinToken::kSecretNbytes),
                  .pin = bytes->substr(JoinToken::kSecretNbytes, JoinToken::kPinNbytes),
                  .expires = reader.number<UnixSeconds>(),
                  .address = std::string(reader.text())};
  const auto sum = reader.number<std::uint32_t>();
  if (!reader.complete() || token.address.size() > kMostAddressNbytes ||
      sum != checksum(std::string_view(*bytes).substr(0, bytes->size() - sizeof sum)))
    return refuse("is damaged; copy all of it");
  return token;
}

std::string make_token_secret() {
  std::string secret(JoinToken::kSecretNbytes, '\0');
  if (RAND_bytes(reinterpret_cast<unsigned char*>(secret.data()),
                 static_cast<int>(secret.size())) != 1)
    throw Error(ErrorCode::failed, "the system gives no random bytes");
  return secret;
}

}  // namespace megascale::secure
