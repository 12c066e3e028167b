// The real server with TLS, and with a driver to which it may hand over an eviction.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <sys/stat.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "megascale/base/error.h"
#include "megascale/serve/server.h"
#include "support/scratch_directory.h"

namespace megascale::serve {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A server of one empty run, which serves until the object ends.
class RunningServer {
 public:
  explicit RunningServer(const ServerOptions& options) : server_(options) {
    thread_ = std::thread([this] { server_.run(); });
  }
  ~RunningServer() {
    server_.stop();
    thread_.join();
  }
  [[nodiscard]] const Server& operator*() const { return server_; }

 private:
  Server server_;
  std::thread thread_;
};

// Writes a key and a certificate of it, signed by itself, for 127.0.0.1.
void make_certificate(const std::filesystem::path& certificate, const std::filesystem::path& key) {
  const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> pair(EVP_EC_gen("P-256"),
                                                                 EVP_PKEY_free);
  const std::unique_ptr<X509, decltype(&X509_free)> x509(X509_new(), X509_free);
  ASN1_INTEGER_set(X509_get_serialNumber(x509.get()), 1);
  X509_gmtime_adj(X509_getm_notBefore(x509.get()), -60);
  X509_gmtime_adj(X509_getm_notAfter(x509.get()), 3600);
  X509_set_pubkey(x509.get(), pair.get());
  X509_NAME_add_entry_by_txt(X509_get_subject_name(x509.get()), "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>("127.0.0.1"), -1, -1, 0);
  X509_set_issuer_name(x509.get(), X509_get_subject_name(x509.get()));
  ASSERT_GT(X509_sign(x509.get(), pair.get(), EVP_sha256()), 0);
  std::FILE* file = std::fopen(certificate.c_str(), "w");
  PEM_write_X509(file, x509.get());
  std::fclose(file);
  file = std::fopen(key.c_str(), "w");
  PEM_write_PrivateKey(file, pair.get(), nullptr, nullptr, 0, nullptr, nullptr);
  std::fclose(file);
  ASSERT_EQ(::chmod(key.c_str(), 0600), 0);
}

TEST(ServerTlsTest, OtherMachinesAreServedWithTlsOnly) {
  testing::ScratchDirectory scratch;
  const auto refusal = [&](const ServerOptions& options) {
    try {
      const Server server(options);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_usage);
      return error.message();
    }
    return std::string("accepted");
  };
  ServerOptions options{.run_dirs = {scratch / ""}, .address = "0.0.0.0"};
  EXPECT_THAT(refusal(options), HasSubstr("--tls-cert FILE and --tls-key FILE"));
  const auto certificate = scratch / "cert.pem", key = scratch / "key.pem";
  make_certificate(certificate, key);
  options.tls_certificate = certificate;
  EXPECT_THAT(refusal(options), HasSubstr("--tls-key FILE")) << "one of the two is missing";
  options.tls_key = key;
  EXPECT_EQ(refusal(options), "accepted");
  options.tls_key = certificate;
  EXPECT_NE(refusal(options), "accepted") << "a certificate is no key";
  options.tls_key = key;
  ::chmod(key.c_str(), 0644);
  EXPECT_NE(refusal(options), "accepted") << "others may read the key";
}

TEST(ServerTlsTest, AnswersOverTlsAndNothingWithoutIt) {
  testing::ScratchDirectory scratch;
  const auto certificate = scratch / "cert.pem", key = scratch / "key.pem";
  make_certificate(certificate, key);
  const RunningServer running(
      {.run_dirs = {scratch / ""}, .tls_certificate = certificate, .tls_key = key});
  const Server& server = *running;
  EXPECT_THAT(server.link(), HasSubstr("https://127.0.0.1:"));
  httplib::SSLClient client("127.0.0.1", server.port());
  client.enable_server_certificate_verification(false);  // it has signed itself
  const auto answer = client.Get("/api/runs", {{"Authorization", "Bearer " + server.token()}});
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 200);
  const auto link = client.Get(("/?token=" + server.token()).c_str());
  ASSERT_TRUE(link);
  EXPECT_THAT(link->get_header_value("Set-Cookie"), HasSubstr("; Secure"));
  httplib::Client plain("127.0.0.1", server.port());
  EXPECT_FALSE(plain.Get("/api/runs", {{"Authorization", "Bearer " + server.token()}}));
}

class ServerEvictTest : public ::testing::Test {
 protected:
  [[nodiscard]] ServerOptions options() {
    return {.run_dirs = {scratch_ / ""},
            .evict = [this](const std::string& host, const std::string& why) {
              if (host == "nobody") throw Error(ErrorCode::peer_lost, "the driver does not answer");
              evicted_.push_back(host + ": " + why);
            }};
  }
  testing::ScratchDirectory scratch_;
  std::vector<std::string> evicted_;
};

TEST_F(ServerEvictTest, APostWithTheTokenIsHandedToTheDriver) {
  const RunningServer running(options());
  httplib::Client client("127.0.0.1", (*running).port());
  const httplib::Headers token{{"Authorization", "Bearer " + (*running).token()}};
  const auto post = [&](const std::string& path, const httplib::Headers& headers,
                        const std::string& body) {
    const auto answer = client.Post(path.c_str(), headers, body, "application/json");
    return answer ? answer->status : -1;
  };
  const std::string body = R"({"host": "node3", "why": "fan"})";
  EXPECT_EQ(client.Get("/api/runs/0/evict", token)->status, 404) << "never by GET";
  EXPECT_EQ(post("/api/runs/0/evict", {}, body), 401);
  auto foreign = token;
  foreign.emplace("Origin", "http://evil.example");
  EXPECT_EQ(post("/api/runs/0/evict", foreign, body), 403);
  EXPECT_EQ(post("/api/runs/0/evict", token, "{"), 400);
  EXPECT_EQ(post("/api/runs/1/evict", token, body), 404);
  EXPECT_EQ(post("/api/runs", token, body), 405);
  EXPECT_THAT(evicted_, ElementsAre());
  EXPECT_EQ(post("/api/runs/0/evict", token, body), 200);
  EXPECT_THAT(evicted_, ElementsAre("node3: fan"));
  EXPECT_EQ(post("/api/runs/0/evict", token, R"({"host": "nobody"})"), 502);
  EXPECT_EQ(post("/api/runs/0/evict", token, std::string(100'000, ' ')), 413);
  EXPECT_EQ(client.Get("/api/runs", token)->status, 200);
}

TEST_F(ServerEvictTest, ThePageNeedsItsOwnOrigin) {
  const RunningServer running(options());
  httplib::Client client("127.0.0.1", (*running).port());
  const std::string set =
      client.Get(("/?token=" + (*running).token()).c_str())->get_header_value("Set-Cookie");
  const std::string origin = "http://127.0.0.1:" + std::to_string((*running).port());
  httplib::Headers headers{{"Cookie", set.substr(0, set.find(';'))}};
  const char* body = R"({"host": "node3"})";
  EXPECT_EQ(client.Post("/api/runs/0/evict", headers, body, "application/json")->status, 403);
  headers.emplace("Origin", origin);
  EXPECT_EQ(client.Post("/api/runs/0/evict", headers, body, "application/json")->status, 200);
  EXPECT_EQ(evicted_.size(), 1U);
}

}  // namespace
}  // namespace megascale::serve
