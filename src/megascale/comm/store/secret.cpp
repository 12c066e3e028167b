// Reads the job's secret with the checks that keep it private, and computes the HMAC-SHA256 proofs
// of the embedded store's handshake with OpenSSL. Buffers that held the secret are wiped
// (OPENSSL_cleanse).
#include "megascale/comm/store/secret.h"

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include "megascale/base/error.h"
#include "megascale/base/private_file.h"

namespace megascale::comm {
namespace {

constexpr std::string_view kSpace = " \t\r\n";

std::string_view trim(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

}  // namespace

JobSecret::JobSecret(std::string_view text) : text_(text) {
  if (text.size() < kMinNbytes || text.size() > kMaxNbytes) {
    throw Error(ErrorCode::bad_usage,
                fmt::format("the job's secret has {} bytes, expected {} to {}; make one with: "
                            "openssl rand -hex 32",
                            text.size(), kMinNbytes, kMaxNbytes));
  }
}

JobSecret::~JobSecret() { OPENSSL_cleanse(text_.data(), text_.size()); }

JobSecret JobSecret::from_file(const std::filesystem::path& path) {
  std::string text = read_private_file(path, kMaxNbytes + 16);  // 16: white space around it
  try {
    JobSecret secret(trim(text));
    OPENSSL_cleanse(text.data(), text.size());
    return secret;
  } catch (Error& error) {
    error.add_context(fmt::format("reading {}", path.string()));
    throw;
  }
}

JobSecret JobSecret::from_environment(const std::function<const char*(const char*)>& lookup) {
  const char* text = lookup("MEGASCALE_JOB_SECRET");
  const char* file = lookup("MEGASCALE_JOB_SECRET_FILE");
  if ((text == nullptr) == (file == nullptr)) {
    throw Error(
        ErrorCode::bad_usage,
        fmt::format("{} of MEGASCALE_JOB_SECRET and MEGASCALE_JOB_SECRET_FILE are set, expected "
                    "one: the same secret on every rank of the job",
                    text == nullptr ? "none" : "both"));
  }
  return text != nullptr ? JobSecret(trim(text)) : from_file(file);
}

JobSecret JobSecret::random() {
  const Nonce bits = make_nonce();
  std::string text;
  for (const std::byte byte : bits) text += fmt::format("{:02x}", std::to_integer<unsigned>(byte));
  return JobSecret(text);
}

Nonce make_nonce() {
  Nonce nonce{};
  if (RAND_bytes(reinterpret_cast<unsigned char*>(nonce.data()), nonce.size()) != 1)
    throw Error(ErrorCode::failed, "the system gives no random bytes");
  return nonce;
}

Proof make_proof(const JobSecret& secret, ProofRole role, std::string_view job, const Nonce& server,
                 const Nonce& client) {
  // The nonces have a fixed size and are last, so two different (role, job) never give the same
  // text.
  std::string text =
      role == ProofRole::server ? "megascale store server 1:" : "megascale store client 1:";
  text += job;
  for (const Nonce* nonce : {&server, &client})
    text.append(reinterpret_cast<const char*>(nonce->data()), nonce->size());
  Proof proof{};
  unsigned nbytes = proof.size();
  const unsigned char* made =
      HMAC(EVP_sha256(), secret.text().data(), static_cast<int>(secret.text().size()),
           reinterpret_cast<const unsigned char*>(text.data()), text.size(),
           reinterpret_cast<unsigned char*>(proof.data()), &nbytes);
  MEGASCALE_CHECK(made != nullptr && nbytes == proof.size(), "HMAC-SHA256 gives 32 bytes");
  return proof;
}

bool equal(const Proof& a, const Proof& b) noexcept {
  return CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace megascale::comm
