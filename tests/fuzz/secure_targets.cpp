// What strangers send to the control plane, and what operators copy.
#include <openssl/evp.h>

#include <algorithm>
#include <string>
#include <vector>

#include "fuzz/targets.h"
#include "megascale/base/error.h"
#include "megascale/control/secure/join_message.h"
#include "megascale/control/secure/join_token.h"
#include "megascale/control/secure/key.h"

namespace megascale::fuzz {

bool join_token(std::span<const std::byte> input) {
  const std::string_view bytes = as_text(input);
  if (const auto token = secure::parse_join_token(bytes)) {
    const std::string text = secure::to_text(*token);
    MEGASCALE_CHECK(bytes.find(text) != std::string_view::npos, "a token has one text");
    return true;
  }
  // A checksum refuses nearly all mutations of a text. So the bytes are also taken for the fields.
  constexpr std::size_t kSecret = secure::JoinToken::kSecretNbytes;
  constexpr std::size_t kFixed = kSecret + secure::JoinToken::kPinNbytes;
  if (bytes.size() < kFixed || bytes.size() > kFixed + 255) return false;
  const secure::JoinToken token{.secret = std::string(bytes.substr(0, kSecret)),
                                .pin = std::string(bytes.substr(kSecret, kFixed - kSecret)),
                                .expires = static_cast<secure::UnixSeconds>(bytes.size()),
                                .address = std::string(bytes.substr(kFixed))};
  MEGASCALE_CHECK(secure::parse_join_token(secure::to_text(token)).value() == token,
                  "a token is read back");
  return true;
}

bool identity_uri(std::span<const std::byte> input) {
  const auto identity = secure::parse_identity(as_text(input));
  if (!identity) return false;
  MEGASCALE_CHECK(secure::to_uri(*identity) == as_text(input), "an identity has one URI");
  return true;
}

bool member_certificate(std::span<const std::byte> input) {
  std::vector<unsigned char> base64(input.size() / 3 * 4 + 8);
  const int count =
      EVP_EncodeBlock(base64.data(), reinterpret_cast<const unsigned char*>(input.data()),
                      static_cast<int>(input.size()));
  std::string pem = "-----BEGIN CERTIFICATE-----\n";
  for (int at = 0; at < count; at += 64) {
    pem.append(reinterpret_cast<const char*>(base64.data()) + at,
               static_cast<std::size_t>(std::min(64, count - at)));
    pem += '\n';
  }
  pem += "-----END CERTIFICATE-----\n";
  const auto member = secure::parse_member(pem);
  if (!member) {
    (void)secure::parse_authority(pem);
    return false;
  }
  MEGASCALE_CHECK(secure::parse_identity(secure::to_uri(member->identity)) == member->identity,
                  "the identity of a certificate is read back");
  (void)secure::check_validity(*member, 0);
  return true;
}

bool join_request(std::span<const std::byte> input) {
  const auto request = secure::parse_join_request(as_text(input));
  if (!request) return false;
  MEGASCALE_CHECK(secure::to_message(*request).substr(secure::kJoinLengthNbytes) == as_text(input),
                  "a request is written as it was");
  if (const auto key = secure::parse_request(request->request))
    MEGASCALE_CHECK(key->digest().size() == 64, "an accepted request has a key");
  return true;
}

}  // namespace megascale::fuzz
