#ifndef MEGASCALE_COMM_STORE_SECRET_H_
#define MEGASCALE_COMM_STORE_SECRET_H_

#include <array>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace megascale::comm {

// The secret of a job: a text that all its ranks and nobody else know. With it the ranks and the
// rendezvous store prove to each other that they belong together. It is never printed or put on a
// command line, and the destructor wipes it from memory.
class JobSecret {
 public:
  // Shorter secrets could be found by trying all of them. 128 random bits as hexadecimal digits
  // have 32 bytes.
  static constexpr std::size_t kMinNbytes = 16, kMaxNbytes = 1024;

  JobSecret() = default;
  // Throws Error (bad_usage) if the secret is too short or too long.
  explicit JobSecret(std::string_view text);
  JobSecret(const JobSecret&) = default;
  JobSecret(JobSecret&&) noexcept = default;
  JobSecret& operator=(const JobSecret&) = default;
  JobSecret& operator=(JobSecret&&) noexcept = default;
  ~JobSecret();

  // Reads the secret from a file; white space at both ends is removed. Throws Error: bad_usage if
  // users other than the owner may access the file, or if the owner is neither this user nor root;
  // io if it cannot be read.
  static JobSecret from_file(const std::filesystem::path& path);
  // Takes the secret from the environment variable MEGASCALE_JOB_SECRET, or from the file that
  // MEGASCALE_JOB_SECRET_FILE names. Throws Error: bad_usage if neither or both are set, and the
  // errors of from_file() and of the constructor. `lookup` returns the value of a variable, or null
  // if it is not set.
  static JobSecret from_environment(const std::function<const char*(const char*)>& lookup);
  // Returns 256 random bits, for a store that lives for one test or benchmark.
  static JobSecret random();

  [[nodiscard]] std::string_view text() const noexcept { return text_; }

 private:
  std::string text_;
};

using Nonce = std::array<std::byte, 32>;  // random bytes, new ones for every connection
using Proof = std::array<std::byte, 32>;
enum class ProofRole : unsigned char { server, client };

// Returns random bytes. Throws Error (failed) if the system has none.
[[nodiscard]] Nonce make_nonce();
// Returns the HMAC-SHA256 of (role, job, both nonces) under the secret. It proves that the sender
// knows the secret and belongs to the same launch of the job. The nonces make it valid for this
// connection only.
[[nodiscard]] Proof make_proof(const JobSecret& secret, ProofRole role, std::string_view job,
                               const Nonce& server, const Nonce& client);
// Compares two proofs in a time that does not depend on the position of a difference, so that an
// attacker learns nothing from it.
[[nodiscard]] bool equal(const Proof& a, const Proof& b) noexcept;

}  // namespace megascale::comm

#endif  // MEGASCALE_COMM_STORE_SECRET_H_
