// Reads certificates with OpenSSL and checks who signed them. Times are checked apart: a member
// whose certificate has expired is still told so, while a stranger is told nothing.
#include "megascale/control/secure/certificate.h"

#include <fmt/format.h>

#include <optional>

#include "megascale/control/secure/openssl.h"

namespace megascale::secure {
namespace {

tl::unexpected<Error> refused(std::string_view why) {
  return tl::unexpected(Error(ErrorCode::bad_input, fmt::format("not a certificate of a megascale "
                                                                "cluster: {}",
                                                                why)));
}

std::optional<UnixSeconds> to_unix(const ASN1_TIME* time) {
  std::tm utc{};
  if (time == nullptr || ASN1_TIME_to_tm(time, &utc) != 1) return std::nullopt;
  return ::timegm(&utc);
}

std::optional<Validity> validity_of(const X509* certificate) {
  const auto from = to_unix(X509_get0_notBefore(certificate));
  const auto to = to_unix(X509_get0_notAfter(certificate));
  if (!from || !to) return std::nullopt;
  return Validity{.from = *from, .to = *to};
}

std::string common_name(const X509* certificate) {
  const X509_NAME* subject = X509_get_subject_name(certificate);
  const int at = X509_NAME_get_index_by_NID(subject, NID_commonName, -1);
  if (at < 0) return "";
  const ASN1_STRING* text = X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at));
  return {reinterpret_cast<const char*>(ASN1_STRING_get0_data(text)),
          static_cast<std::size_t>(ASN1_STRING_length(text))};
}

std::string serial_of(const X509* certificate) {
  const ASN1_INTEGER* serial = X509_get0_serialNumber(certificate);
  return openssl::to_hex({reinterpret_cast<const char*>(ASN1_STRING_get0_data(serial)),
                          static_cast<std::size_t>(ASN1_STRING_length(serial))});
}

// The only URI among the alternative names of the subject.
Result<std::string> only_uri(const X509* certificate) {
  const openssl::Names names(static_cast<GENERAL_NAMES*>(
      X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)));
  if (!names || sk_GENERAL_NAME_num(names.get()) != 1)
    return refused("expected one alternative name of the subject");
  const GENERAL_NAME* name = sk_GENERAL_NAME_value(names.get(), 0);
  if (name->type != GEN_URI) return refused("the subject's alternative name is not a URI");
  const ASN1_IA5STRING* text = name->d.uniformResourceIdentifier;
  return std::string(reinterpret_cast<const char*>(ASN1_STRING_get0_data(text)),
                     static_cast<std::size_t>(ASN1_STRING_length(text)));
}

Result<MemberCertificate> member_of(const X509* certificate) {
  const auto uri = only_uri(certificate);
  if (!uri) return tl::unexpected(uri.error());
  auto identity = parse_identity(*uri);
  if (!identity) return refused(identity.error().message());
  const auto validity = validity_of(certificate);
  const EVP_PKEY* key = X509_get0_pubkey(certificate);
  if (!validity || key == nullptr) return refused("its times or its key cannot be read");
  return MemberCertificate{.pem = openssl::to_pem(certificate),
                           .identity = std::move(*identity),
                           .serial = serial_of(certificate),
                           .key = openssl::to_hex(openssl::key_digest(key)),
                           .validity = *validity};
}

// Whether the certificate `signer` has signed `subject`. Roles and purposes are in the URI, so
// OpenSSL looks at the signature and at the authority's right to sign alone.
bool has_signed(X509* signer, X509* subject) {
  const openssl::CertificateStore store(X509_STORE_new());
  const openssl::StoreContext context(X509_STORE_CTX_new());
  const bool verified =
      store && context && X509_STORE_add_cert(store.get(), signer) == 1 &&
      X509_STORE_set_flags(store.get(), X509_V_FLAG_NO_CHECK_TIME | X509_V_FLAG_X509_STRICT) == 1 &&
      X509_STORE_CTX_init(context.get(), store.get(), subject, nullptr) == 1 &&
      X509_verify_cert(context.get()) == 1;
  (void)openssl::last_error();
  return verified;
}

}  // namespace

Result<AuthorityCertificate> parse_authority(std::string_view pem) {
  const openssl::Certificate certificate = openssl::read_certificate(pem);
  if (!certificate) return refused("the text cannot be read");
  if (X509_check_ca(certificate.get()) != 1 ||
      X509_self_signed(certificate.get(), 1 /* verify */) != 1)
    return refused("the authority must have signed itself and may sign others");
  const auto validity = validity_of(certificate.get());
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned count = 0;
  if (!validity || X509_digest(certificate.get(), EVP_sha256(), digest, &count) != 1)
    return refused("its times or its digest cannot be read");
  AuthorityCertificate authority{
      .pem = openssl::to_pem(certificate.get()),
      .cluster_name = common_name(certificate.get()),
      .cluster =
          openssl::to_hex(openssl::key_digest(X509_get0_pubkey(certificate.get()))).substr(0, 32),
      .digest = std::string(reinterpret_cast<const char*>(digest), count),
      .validity = *validity};
  if (!is_name(authority.cluster_name)) return refused("its common name is not a cluster's name");
  return authority;
}

Result<MemberCertificate> parse_member(std::string_view pem) {
  const openssl::Certificate certificate = openssl::read_certificate(pem);
  if (!certificate) return refused("the text cannot be read");
  return member_of(certificate.get());
}

Result<MemberCertificate> verify_member(const AuthorityCertificate& authority,
                                        std::string_view pem) {
  const openssl::Certificate signer = openssl::read_certificate(authority.pem);
  MEGASCALE_CHECK(signer != nullptr, "the authority's certificate was read before");
  const openssl::Certificate subject = openssl::read_certificate(pem);
  if (!subject) return refused("the text cannot be read");
  if (!has_signed(signer.get(), subject.get()) || X509_check_ca(subject.get()) != 0) {
    return refused(fmt::format("the authority of cluster {} ({}) has not signed it",
                               authority.cluster_name, authority.cluster));
  }
  auto member = member_of(subject.get());
  if (member && member->identity.cluster != authority.cluster)
    return refused("its URI names another cluster than its authority");
  return member;
}

Result<void> check_validity(const MemberCertificate& member, UnixSeconds now) {
  const auto& [from, to] = member.validity;
  if (now >= from && now <= to) return {};
  return tl::unexpected(Error(
      ErrorCode::failed,
      now < from ? fmt::format("the certificate of {} is valid from {}, and the clock here shows "
                               "{}: set the clocks of both hosts",
                               to_string(member.identity), to_utc(from), to_utc(now))
                 : fmt::format("the certificate of {} expired at {}, and the clock here shows {}: "
                               "join again with a new token, or run megascale cluster renew where "
                               "the authority's key is",
                               to_string(member.identity), to_utc(to), to_utc(now))));
}

bool is_due(const Validity& validity, UnixSeconds now) noexcept {
  return now > validity.to - (validity.to - validity.from) / 3;
}

}  // namespace megascale::secure
