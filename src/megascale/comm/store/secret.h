#ifndef MEGASCALE_COMM_STORE_SECRET_H_
#define MEGASCALE_COMM_STORE_SECRET_H_

#include <array>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace megascale::comm {

// What the ranks of a job share and nobody else knows. Never printed, never on a command line;
// wiped from memory when it goes.
class JobSecret {
 public:
  // 128 bits as hexadecimal digits have 32; shorter secrets could be found by trying.
  static constexpr std::size_t kMinNbytes = 16, kMaxNbytes = 1024;

  JobSecret() = default;
  // Throws Error (bad_usage) on a secret that is too short or too long.
  explicit JobSecret(std::string_view text);
  JobSecret(const JobSecret&) = default;
  JobSecret(JobSecret&&) noexcept = default;
  JobSecret& operator=(const JobSecret&) = default;
  JobSecret& operator=(JobSecret&&) noexcept = default;
  ~JobSecret();

  // The file's text without white space at its ends. Throws Error (bad_usage) when others than its
  // owner may read or write it, or when it belongs neither to this user nor to root.
  static JobSecret from_file(const std::filesystem::path& path);
  // MEGASCALE_JOB_SECRET, or the file that MEGASCALE_JOB_SECRET_FILE names. Throws Error
  // (bad_usage) when neither or both are set. `lookup` gives a variable's value or null.
  static JobSecret from_environment(const std::function<const char*(const char*)>& lookup);
  // 256 random bits, for a store that lives for one test or benchmark.
  static JobSecret random();

  [[nodiscard]] std::string_view text() const noexcept { return text_; }

 private:
  std::string text_;
};

using Nonce = std::array<std::byte, 32>;
using Proof = std::array<std::byte, 32>;
enum class ProofRole : unsigned char { server, client };

// Throws Error (failed) when the system has no random bytes.
[[nodiscard]] Nonce make_nonce();
// HMAC-SHA256 under the secret over (role, job, both nonces): shows that its maker knows the
// secret, is of the same launch, and answers this very connection.
[[nodiscard]] Proof make_proof(const JobSecret& secret, ProofRole role, std::string_view job,
                               const Nonce& server, const Nonce& client);
// In a time that does not depend on where they differ.
[[nodiscard]] bool equal(const Proof& a, const Proof& b) noexcept;

}  // namespace megascale::comm

#endif  // MEGASCALE_COMM_STORE_SECRET_H_
