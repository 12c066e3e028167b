// Keys, certificate requests, and the making of certificates (X.509 version 3, RFC 5280). Members
// differ in the URI of their subject; the extended key usage lets standard TLS programs check them,
// too.
#include "megascale/control/secure/key.h"

#include <fmt/format.h>
#include <openssl/rand.h>

#include "megascale/control/secure/openssl.h"

namespace megascale::secure {
namespace {

constexpr std::size_t kMostRequestNbytes = 4096;
constexpr int kSerialNbytes = 16;

void require(bool done, const char* what) {
  if (!done) throw openssl::failure(what);
}

void add_extension(X509* certificate, X509* issuer, int nid, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const openssl::Extension extension(X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str()));
  require(extension && X509_add_ext(certificate, extension.get(), -1) == 1, "extend a certificate");
}

void set_common_name(X509_NAME* name, const std::string& text) {
  require(X509_NAME_add_entry_by_NID(name, NID_commonName, MBSTRING_ASC,
                                     reinterpret_cast<const unsigned char*>(text.data()),
                                     static_cast<int>(text.size()), -1, 0) == 1,
          "name a certificate's subject");
}

void set_random_serial(X509* certificate) {
  unsigned char bytes[kSerialNbytes];
  require(RAND_bytes(bytes, sizeof bytes) == 1, "get random bytes");
  bytes[0] =
      static_cast<unsigned char>((bytes[0] & 0x7fU) | 0x40U);  // positive, and of full length
  const std::unique_ptr<BIGNUM, openssl::Deleter<BN_free>> number(
      BN_bin2bn(bytes, sizeof bytes, nullptr));
  require(number && BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate)) != nullptr,
          "number a certificate");
}

// A certificate of version 3 with key, names and times; unsigned.
openssl::Certificate begin_certificate(const Key& subject, const std::string& name,
                                       const std::string& issuer, Validity validity) {
  openssl::Certificate certificate(X509_new());
  require(certificate && X509_set_version(certificate.get(), X509_VERSION_3) == 1 &&
              X509_set_pubkey(certificate.get(), subject.get()) == 1,
          "make a certificate");
  set_random_serial(certificate.get());
  set_common_name(X509_get_subject_name(certificate.get()), name);
  set_common_name(X509_get_issuer_name(certificate.get()), issuer);
  require(ASN1_TIME_set(X509_getm_notBefore(certificate.get()), validity.from) != nullptr &&
              ASN1_TIME_set(X509_getm_notAfter(certificate.get()), validity.to) != nullptr,
          "set a certificate's times");
  return certificate;
}

std::string sign(const openssl::Certificate& certificate, const Key& key) {
  require(X509_sign(certificate.get(), key.get(), EVP_sha256()) > 0, "sign a certificate");
  return openssl::to_pem(certificate.get());
}

}  // namespace

Key Key::make() {
  std::shared_ptr<evp_pkey_st> key(EVP_EC_gen("P-256"), EVP_PKEY_free);
  if (!key) throw openssl::failure("make a key");
  return Key(std::move(key));
}

Result<Key> Key::from_pem(std::string_view pem) {
  const openssl::Bio bio = openssl::reader(pem);
  // The empty password: without it OpenSSL asks the terminal for the one of an encrypted key.
  char no_password[] = "";
  std::shared_ptr<evp_pkey_st> key(
      PEM_read_bio_PrivateKey(bio.get(), nullptr, nullptr, static_cast<void*>(no_password)),
      EVP_PKEY_free);
  (void)openssl::last_error();
  if (!openssl::is_p256(key.get())) {
    return tl::unexpected(Error(ErrorCode::bad_input,
                                "expected an unencrypted private key (PEM) on the curve P-256"));
  }
  return Key(std::move(key));
}

std::string Key::to_pem() const {
  const openssl::Bio bio(BIO_new(BIO_s_secmem()));
  require(bio && PEM_write_bio_PrivateKey(bio.get(), key_.get(), nullptr, nullptr, 0, nullptr,
                                          nullptr) == 1,
          "write a key");
  return openssl::written(bio);
}

std::string Key::digest() const { return openssl::to_hex(openssl::key_digest(key_.get())); }

std::string make_request(const Key& key) {
  const openssl::Request request(X509_REQ_new());
  require(request && X509_REQ_set_pubkey(request.get(), key.get()) == 1 &&
              X509_REQ_sign(request.get(), key.get(), EVP_sha256()) > 0,
          "make a certificate request");
  const openssl::Bio bio(BIO_new(BIO_s_mem()));
  require(bio && i2d_X509_REQ_bio(bio.get(), request.get()) == 1, "write a certificate request");
  return openssl::written(bio);
}

Result<Key> parse_request(std::string_view der) {
  const auto refuse = [](const char* why) {
    (void)openssl::last_error();
    return tl::unexpected(
        Error(ErrorCode::bad_input, fmt::format("the certificate request {}", why)));
  };
  if (der.size() > kMostRequestNbytes) return refuse("is larger than 4 KiB");
  const auto* bytes = reinterpret_cast<const unsigned char*>(der.data());
  const auto* end = bytes + der.size();
  const openssl::Request request(d2i_X509_REQ(nullptr, &bytes, static_cast<long>(der.size())));
  if (!request || bytes != end) return refuse("is malformed");
  std::shared_ptr<evp_pkey_st> key(X509_REQ_get_pubkey(request.get()), EVP_PKEY_free);
  if (!openssl::is_p256(key.get())) return refuse("has a key that is not on the curve P-256");
  if (X509_REQ_verify(request.get(), key.get()) != 1) return refuse("is not signed by its key");
  return Key(std::move(key));
}

Key public_key_of(const MemberCertificate& member) {
  const openssl::Certificate certificate = openssl::read_certificate(member.pem);
  MEGASCALE_CHECK(certificate != nullptr, "a member's certificate was read before");
  return Key(std::shared_ptr<evp_pkey_st>(X509_get_pubkey(certificate.get()), EVP_PKEY_free));
}

AuthorityCertificate make_authority(const Key& key, const std::string& cluster_name,
                                    Validity validity) {
  const auto certificate = begin_certificate(key, cluster_name, cluster_name, validity);
  X509* raw = certificate.get();
  add_extension(raw, raw, NID_basic_constraints, "critical,CA:TRUE,pathlen:0");
  add_extension(raw, raw, NID_key_usage, "critical,keyCertSign,cRLSign");
  add_extension(raw, raw, NID_subject_key_identifier, "hash");
  auto authority = parse_authority(sign(certificate, key));
  if (!authority) throw Error(authority.error());
  return std::move(*authority);
}

MemberCertificate issue(const Key& authority_key, const AuthorityCertificate& authority,
                        const Key& subject, const Identity& identity, Validity validity) {
  const openssl::Certificate issuer = openssl::read_certificate(authority.pem);
  MEGASCALE_CHECK(issuer != nullptr, "the authority's certificate was read before");
  const auto certificate =
      begin_certificate(subject, identity.name, authority.cluster_name, validity);
  X509* raw = certificate.get();
  add_extension(raw, issuer.get(), NID_basic_constraints, "critical,CA:FALSE");
  add_extension(raw, issuer.get(), NID_key_usage, "critical,digitalSignature");
  add_extension(raw, issuer.get(), NID_ext_key_usage,
                identity.role == Role::driver ? "serverAuth,clientAuth" : "clientAuth");
  add_extension(raw, issuer.get(), NID_subject_key_identifier, "hash");
  add_extension(raw, issuer.get(), NID_authority_key_identifier, "keyid");
  add_extension(raw, issuer.get(), NID_subject_alt_name, "URI:" + to_uri(identity));
  auto member = verify_member(authority, sign(certificate, authority_key));
  if (!member) throw Error(member.error());
  return std::move(*member);
}

}  // namespace megascale::secure
