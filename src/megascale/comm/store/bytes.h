#ifndef MEGASCALE_COMM_STORE_BYTES_H_
#define MEGASCALE_COMM_STORE_BYTES_H_

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

// Encoding of records as bytes, for messages between processes and values in the store. A number is
// little-endian; a text is its length in 32 bits and then its bytes.
namespace megascale::comm {

static_assert(std::endian::native == std::endian::little,
              "numbers are copied as they lie in memory");

// Appends encoded numbers and texts to a string.
class ByteWriter {
 public:
  // `out` must outlive the writer.
  explicit ByteWriter(std::string& out) : out_(out) {}
  template <class T>
  requires std::is_integral_v<T>
  void number(T value) {
    char bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    out_.append(bytes, sizeof value);
  }
  void text(std::string_view value) {
    number(static_cast<std::uint32_t>(value.size()));
    out_ += value;
  }

 private:
  std::string& out_;
};

// Decodes the output of a ByteWriter. The bytes may come from an untrusted sender: past their end
// every number reads as 0 and every text as empty, and complete() returns false.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}
  template <class T>
  requires std::is_integral_v<T> T number() {
    T value{};
    if (rest_.size() < sizeof value) {
      fail();
      return value;
    }
    std::memcpy(&value, rest_.data(), sizeof value);
    rest_.remove_prefix(sizeof value);
    return value;
  }
  std::string_view text() {
    const auto nbytes = number<std::uint32_t>();
    if (rest_.size() < nbytes) {
      fail();
      return {};
    }
    const std::string_view value = rest_.substr(0, nbytes);
    rest_.remove_prefix(nbytes);
    return value;
  }
  [[nodiscard]] std::size_t left() const noexcept { return rest_.size(); }
  // Returns true if every read succeeded and no bytes are left.
  [[nodiscard]] bool complete() const noexcept { return !short_ && rest_.empty(); }

 private:
  void fail() noexcept {
    short_ = true;
    rest_ = {};
  }
  std::string_view rest_;
  bool short_ = false;
};

// The buffer of a connection: bytes are appended at the end and consumed at the front.
class ByteQueue {
 public:
  [[nodiscard]] std::string_view view() const noexcept {
    return std::string_view(bytes_).substr(begin_);
  }
  [[nodiscard]] std::size_t size() const noexcept { return bytes_.size() - begin_; }
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }
  void append(std::string_view bytes) { bytes_ += bytes; }
  // Returns a string to which bytes may be appended in place. Appending invalidates views.
  [[nodiscard]] std::string& end() noexcept { return bytes_; }
  void consume(std::size_t nbytes) {
    begin_ += nbytes;
    if (begin_ == bytes_.size()) {
      if (bytes_.capacity() > kKeep) bytes_ = {};
      bytes_.clear();
      begin_ = 0;
    } else if (begin_ > kKeep) {
      bytes_.erase(0, begin_);
      begin_ = 0;
    }
  }

 private:
  // Larger buffers are freed when they are empty, since a server has thousands of idle connections.
  static constexpr std::size_t kKeep = 16384;
  std::string bytes_;
  std::size_t begin_ = 0;
};

}  // namespace megascale::comm

#endif  // MEGASCALE_COMM_STORE_BYTES_H_
