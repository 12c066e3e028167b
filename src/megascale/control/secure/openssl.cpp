#include "megascale/control/secure/openssl.h"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/sha.h>

#include <climits>

#include "megascale/control/secure/certificate.h"

namespace megascale::secure::openssl {

std::string last_error() {
  const unsigned long code = ERR_get_error();
  ERR_clear_error();
  const char* reason = code == 0 ? nullptr : ERR_reason_error_string(code);
  return reason == nullptr ? "no reason given" : reason;
}

Error failure(std::string_view what) {
  return {ErrorCode::failed, fmt::format("cannot {}: {}", what, last_error())};
}

Bio reader(std::string_view text) {
  MEGASCALE_CHECK(text.size() <= INT_MAX, "a text for OpenSSL is short");
  return Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

std::string written(const Bio& bio) {
  char* bytes = nullptr;
  const long count = BIO_get_mem_data(bio.get(), &bytes);
  return count <= 0 ? std::string() : std::string(bytes, static_cast<std::size_t>(count));
}

std::string sha256(std::string_view bytes) {
  std::string digest(SHA256_DIGEST_LENGTH, '\0');
  SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(),
         reinterpret_cast<unsigned char*>(digest.data()));
  return digest;
}

std::string key_digest(const EVP_PKEY* key) {
  unsigned char* der = nullptr;
  const int count = i2d_PUBKEY(key, &der);
  if (count <= 0) throw failure("encode a public key");
  const std::unique_ptr<unsigned char, void (*)(unsigned char*)> owner(
      der, [](unsigned char* bytes) { OPENSSL_free(bytes); });
  return sha256({reinterpret_cast<const char*>(der), static_cast<std::size_t>(count)});
}

std::string to_hex(std::string_view bytes) {
  std::string text;
  text.reserve(2 * bytes.size());
  for (const char byte : bytes) text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return text;
}

Certificate read_certificate(std::string_view pem) {
  if (pem.size() > kMostCertificateNbytes) return nullptr;
  const Bio bio = reader(pem);
  Certificate certificate(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
  ERR_clear_error();
  return certificate;
}

std::string to_pem(const X509* certificate) {
  const Bio bio(BIO_new(BIO_s_mem()));
  if (!bio || PEM_write_bio_X509(bio.get(), certificate) != 1) throw failure("write a certificate");
  return written(bio);
}

bool is_p256(const EVP_PKEY* key) noexcept {
  char group[32] = {};
  return key != nullptr && EVP_PKEY_get_base_id(key) == EVP_PKEY_EC &&
         EVP_PKEY_get_group_name(key, group, sizeof group, nullptr) == 1 &&
         std::string_view(group) == SN_X9_62_prime256v1;
}

}  // namespace megascale::secure::openssl
