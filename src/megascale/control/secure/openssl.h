#ifndef MEGASCALE_CONTROL_SECURE_OPENSSL_H_
#define MEGASCALE_CONTROL_SECURE_OPENSSL_H_

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <memory>
#include <string>
#include <string_view>

#include "megascale/base/error.h"

// Owners of OpenSSL's objects. Only sources of this folder include this header.
namespace megascale::secure::openssl {

template <auto free>
struct Deleter {
  template <class T>
  void operator()(T* object) const noexcept {
    free(object);
  }
};
using Bio = std::unique_ptr<BIO, Deleter<BIO_free_all>>;
using Certificate = std::unique_ptr<X509, Deleter<X509_free>>;
using Request = std::unique_ptr<X509_REQ, Deleter<X509_REQ_free>>;
using Key = std::unique_ptr<EVP_PKEY, Deleter<EVP_PKEY_free>>;
using Extension = std::unique_ptr<X509_EXTENSION, Deleter<X509_EXTENSION_free>>;
using Names = std::unique_ptr<GENERAL_NAMES, Deleter<GENERAL_NAMES_free>>;
using CertificateStore = std::unique_ptr<X509_STORE, Deleter<X509_STORE_free>>;
using StoreContext = std::unique_ptr<X509_STORE_CTX, Deleter<X509_STORE_CTX_free>>;

// Returns the reason of the oldest error of this thread, and forgets all.
[[nodiscard]] std::string last_error();
// Returns Error (failed), "cannot WHAT: REASON".
[[nodiscard]] Error failure(std::string_view what);
// Returns a BIO that reads `text`, which must outlive it.
[[nodiscard]] Bio reader(std::string_view text);
// Returns what was written to a BIO in memory.
[[nodiscard]] std::string written(const Bio& bio);
[[nodiscard]] std::string sha256(std::string_view bytes);  // 32 bytes
// The SHA-256 of a public key's standard form (SubjectPublicKeyInfo).
[[nodiscard]] std::string key_digest(const EVP_PKEY* key);
[[nodiscard]] std::string to_hex(std::string_view bytes);
// Returns the first certificate of a text; nothing if there is none, or if the text is too long.
[[nodiscard]] Certificate read_certificate(std::string_view pem);
[[nodiscard]] std::string to_pem(const X509* certificate);
[[nodiscard]] bool is_p256(const EVP_PKEY* key) noexcept;

}  // namespace megascale::secure::openssl

#endif  // MEGASCALE_CONTROL_SECURE_OPENSSL_H_
