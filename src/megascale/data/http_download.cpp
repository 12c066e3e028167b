#include "megascale/data/http_download.h"

#include <curl/curl.h>
#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "megascale/base/error.h"
#include "megascale/base/files.h"

namespace megascale {
namespace {

constexpr long kConnectSeconds = 30, kSilentSeconds = 60, kMostRedirects = 8;

enum HttpStatus : long {
  kHttpOk = 200,
  kHttpPart = 206,
  kHttpForbidden = 403,
  kHttpNotFound = 404,
  kHttpGone = 410,
  kHttpNoSuchRange = 416
};

// One request, and the file that its answer goes to. The functions that libcurl calls keep an error instead of
// throwing through it.
class Request {
 public:
  Request(const std::string& address, const std::filesystem::path& path)
      : address_(address), part_(path.string() + ".part"), etag_file_(path.string() + ".etag") {
    static const CURLcode ready = ::curl_global_init(CURL_GLOBAL_DEFAULT);
    curl_.reset(ready == CURLE_OK ? ::curl_easy_init() : nullptr);
    if (!curl_) throw Error(ErrorCode::io, fmt::format("{}: libcurl cannot start", address));
  }

  // Gets what is missing. Returns the status of the answer.
  long run() {
    have_ = begun();
    set(CURLOPT_URL, address_.c_str());
    set(CURLOPT_PROTOCOLS_STR, "http,https");
    set(CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
    set(CURLOPT_FOLLOWLOCATION, 1L);
    set(CURLOPT_MAXREDIRS, kMostRedirects);
    set(CURLOPT_CONNECTTIMEOUT, kConnectSeconds);
    set(CURLOPT_LOW_SPEED_LIMIT, 1L);
    set(CURLOPT_LOW_SPEED_TIME, kSilentSeconds);
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_NETRC, static_cast<long>(CURL_NETRC_OPTIONAL));
    set(CURLOPT_USERAGENT, "megascale");
    set(CURLOPT_ERRORBUFFER, problem_.data());
    set(CURLOPT_HEADERFUNCTION, &Request::header);
    set(CURLOPT_HEADERDATA, this);
    set(CURLOPT_WRITEFUNCTION, &Request::body);
    set(CURLOPT_WRITEDATA, this);
    Headers headers;
    const std::string rest = fmt::format("{}-", have_);
    if (have_ > 0)
      headers.reset(::curl_slist_append(nullptr, fmt::format("If-Range: {}", etag_).c_str()));
    set(CURLOPT_RANGE, have_ > 0 ? rest.c_str() : nullptr);
    set(CURLOPT_HTTPHEADER, headers.get());
    const CURLcode result = ::curl_easy_perform(curl_.get());
    if (error_) throw Error(*error_);
    long status = 0;
    ::curl_easy_getinfo(curl_.get(), CURLINFO_RESPONSE_CODE, &status);
    if (result != CURLE_OK) {
      throw Error(ErrorCode::io, fmt::format("{}: expected the file, found: {}; what has arrived "
                                             "is kept, and the next try continues it",
                                             address_,
                                             problem_[0] != '\0' ? problem_.data()
                                                                 : ::curl_easy_strerror(result)));
    }
    return status;
  }

  // Makes the file that an answer without content leaves out.
  void finish(const std::filesystem::path& path) {
    if (file_.get() < 0) file_ = open_file(part_, OpenMode::update);
    sync_file(file_, part_);
    std::filesystem::rename(part_, path);
    forget(etag_file_);
  }

  // Removes what has arrived.
  void start_anew() {
    file_ = FileHandle();
    forget(part_);
    forget(etag_file_);
  }

 private:
  struct FreeCurl {
    void operator()(CURL* curl) const noexcept { ::curl_easy_cleanup(curl); }
  };
  struct FreeHeaders {
    void operator()(curl_slist* list) const noexcept { ::curl_slist_free_all(list); }
  };
  using Headers = std::unique_ptr<curl_slist, FreeHeaders>;

  template <class Value>
  void set(CURLoption option, Value value) {
    if (::curl_easy_setopt(curl_.get(), option, value) != CURLE_OK)
      throw Error(ErrorCode::io,
                  fmt::format("{}: libcurl refuses option {}", address_, static_cast<int>(option)));
  }

  static void forget(const std::filesystem::path& path) {
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
  }

  // Returns how many bytes of an earlier try can be kept. A strong ETag tells whether they are of the same file.
  std::uint64_t begun() {
    std::error_code ignored;
    if (!std::filesystem::exists(etag_file_, ignored) || !std::filesystem::exists(part_, ignored))
      return 0;
    etag_ = read_text(etag_file_);
    return etag_.starts_with('"') ? std::filesystem::file_size(part_) : 0;
  }

  // libcurl calls these with pieces of the answer; a return value other than the size ends the request.
  static std::size_t header(const char* text, std::size_t one, std::size_t size, void* self) {
    return static_cast<Request*>(self)->guarded(one * size, [&](Request& request) {
      request.read_header({text, one * size});
    });
  }
  static std::size_t body(const char* bytes, std::size_t one, std::size_t size, void* self) {
    return static_cast<Request*>(self)->guarded(one * size, [&](Request& request) {
      request.write({bytes, one * size});
    });
  }
  template <class Function>
  std::size_t guarded(std::size_t size, const Function& function) noexcept {
    try {
      function(*this);
      return size;
    } catch (const Error& error) {
      error_ = error;
    } catch (const std::exception& error) {
      error_ = Error(ErrorCode::io, fmt::format("{}: {}", address_, error.what()));
    }
    return 0;
  }

  void read_header(std::string_view line) {
    if (line.starts_with("HTTP/")) new_etag_.clear();  // of the answer behind a redirection
    constexpr std::string_view kName = "etag:";
    if (line.size() < kName.size()) return;
    for (std::size_t i = 0; i < kName.size(); ++i) {
      if ((line[i] | 0x20) != kName[i] && line[i] != kName[i]) return;
    }
    line.remove_prefix(kName.size());
    const std::size_t first = line.find_first_not_of(" \t"),
                      last = line.find_last_not_of(" \t\r\n");
    if (first != std::string_view::npos) new_etag_ = line.substr(first, last - first + 1);
  }

  void write(std::string_view bytes) {
    if (file_.get() < 0 && !open()) return;
    write_all(file_, bytes, part_);
  }

  // Opens the file for the content of the answer. Returns false if the content is that of an error.
  bool open() {
    long status = 0;
    ::curl_easy_getinfo(curl_.get(), CURLINFO_RESPONSE_CODE, &status);
    if (status != kHttpOk && status != kHttpPart) return false;
    write_text_atomically(etag_file_, new_etag_);
    file_ = open_file(part_, OpenMode::update);
    truncate_file(file_, status == kHttpPart ? have_ : 0, part_);
    return true;
  }

  std::string address_;
  std::filesystem::path part_, etag_file_;
  std::unique_ptr<CURL, FreeCurl> curl_;
  std::array<char, CURL_ERROR_SIZE> problem_{};
  std::string etag_, new_etag_;  // of the earlier try; of this answer
  std::uint64_t have_ = 0;       // bytes of the earlier try
  FileHandle file_;
  std::optional<Error> error_;
};

}  // namespace

bool download(const std::string& address, const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored))
    return true;  // an interrupted copy had finished this file
  Request request(address, path);
  long status = request.run();
  if (status ==
      kHttpNoSuchRange) {  // the earlier try had all bytes, or the file has become shorter
    request.start_anew();
    status = request.run();
  }
  switch (status) {
    case kHttpOk:
    case kHttpPart:
      request.finish(path);
      return true;
    case kHttpForbidden:
    case kHttpNotFound:
    case kHttpGone:
      return false;
    default:
      throw Error(ErrorCode::io,
                  fmt::format("{}: expected the status 200 of HTTP, found {}", address, status));
  }
}

}  // namespace megascale
