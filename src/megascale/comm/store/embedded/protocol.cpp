// Encoding and decoding of the embedded store's messages. Everything that is decoded may come from
// a stranger. Sizes and counts are therefore checked against the bytes that have arrived, before
// anything is allocated.
#include "megascale/comm/store/embedded/protocol.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "megascale/comm/store/limits.h"

namespace megascale::comm {
namespace {

constexpr std::size_t kLengthNbytes = sizeof(std::uint32_t);
enum class Outcome : std::uint8_t { ok, timed_out, exists, refused };

template <class Array>
void append(std::string& out, const Array& array) {
  out.append(reinterpret_cast<const char*>(array.data()), array.size());
}

template <class Array>
Array read_array(std::string_view bytes) {
  Array array{};
  std::memcpy(array.data(), bytes.data(), array.size());
  return array;
}

bool is_message(std::string_view bytes, std::size_t nbytes) {
  return bytes.size() == nbytes && bytes.starts_with(kStoreMagic);
}

// Appends a frame: lets `body` write the payload, and puts the payload's length before it.
template <class Body>
void frame(std::string& out, const Body& body) {
  const std::size_t at = out.size();
  out.append(kLengthNbytes, '\0');
  ByteWriter writer(out);
  body(writer);
  const auto nbytes = static_cast<std::uint32_t>(out.size() - at - kLengthNbytes);
  std::memcpy(out.data() + at, &nbytes, sizeof nbytes);
}

Error malformed(std::string_view what) {
  return {ErrorCode::corrupt_data,
          fmt::format("a malformed {} (another version, or no megascale store)", what)};
}

}  // namespace

std::string make_greeting(const Nonce& server) {
  std::string out(kStoreMagic);
  append(out, server);
  return out;
}

std::string make_claim(const Nonce& client, const Proof& proof) {
  std::string out(kStoreMagic);
  append(out, client);
  append(out, proof);
  return out;
}

std::string make_answer(const Proof& proof) {
  std::string out(kStoreMagic);
  append(out, proof);
  return out;
}

std::string make_refusal() {
  std::string out(kStoreRefusal);
  out.resize(kAnswerNbytes);
  return out;
}

std::optional<Nonce> read_greeting(std::string_view bytes) {
  if (!is_message(bytes, kGreetingNbytes)) return std::nullopt;
  return read_array<Nonce>(bytes.substr(kStoreMagic.size()));
}

std::optional<Claim> read_claim(std::string_view bytes) {
  if (!is_message(bytes, kClaimNbytes)) return std::nullopt;
  bytes.remove_prefix(kStoreMagic.size());
  return Claim{read_array<Nonce>(bytes), read_array<Proof>(bytes.substr(sizeof(Nonce)))};
}

std::optional<Proof> read_answer(std::string_view bytes) {
  if (!is_message(bytes, kAnswerNbytes)) return std::nullopt;
  return read_array<Proof>(bytes.substr(kStoreMagic.size()));
}

void append_frame(std::string& out, const StoreRequest& request) {
  frame(out, [&](ByteWriter& writer) {
    writer.number(static_cast<std::uint8_t>(request.op));
    writer.number(static_cast<std::uint32_t>(std::clamp<std::int64_t>(
        request.timeout.count(), 0, std::numeric_limits<std::uint32_t>::max())));
    writer.number(request.number);
    writer.number(static_cast<std::uint32_t>(request.keys.size()));
    for (const std::string& key : request.keys) writer.text(key);
    writer.number(static_cast<std::uint32_t>(request.values.size()));
    for (const std::string& value : request.values) writer.text(value);
  });
}

void append_frame(std::string& out, const StoreReply& reply, std::string_view refused) {
  frame(out, [&](ByteWriter& writer) {
    const auto outcome = refused.empty() ? static_cast<Outcome>(reply.status) : Outcome::refused;
    writer.number(static_cast<std::uint8_t>(outcome));
    if (outcome == Outcome::refused) return writer.text(refused);
    writer.number(reply.number);
    writer.number(static_cast<std::uint32_t>(reply.values.size()));
    for (const auto& value : reply.values) {
      writer.number(static_cast<std::uint8_t>(value.has_value()));
      if (value) writer.text(*value);
    }
  });
}

Result<std::optional<std::string_view>> next_frame(const ByteQueue& queue) {
  const std::string_view bytes = queue.view();
  if (bytes.size() < kLengthNbytes) return std::nullopt;
  const auto nbytes = ByteReader(bytes).number<std::uint32_t>();
  if (nbytes > kMaxFrameNbytes) {
    return tl::unexpected(
        Error(ErrorCode::corrupt_data,
              fmt::format("a frame of {} bytes, expected at most {}", nbytes, kMaxFrameNbytes)));
  }
  if (bytes.size() - kLengthNbytes < nbytes) return std::nullopt;
  return bytes.substr(kLengthNbytes, nbytes);
}

std::size_t frame_nbytes(std::string_view payload) noexcept {
  return kLengthNbytes + payload.size();
}

Result<StoreRequest> parse_request(std::string_view payload) {
  ByteReader reader(payload);
  StoreRequest request;
  const auto op = reader.number<std::uint8_t>();
  request.op = static_cast<StoreOp>(op);
  request.timeout = std::chrono::milliseconds(reader.number<std::uint32_t>());
  request.number = reader.number<std::int64_t>();
  for (std::vector<std::string>* texts : {&request.keys, &request.values}) {
    const auto count = reader.number<std::uint32_t>();
    // Every text takes at least the bytes of its length. So a wrong count cannot make this process
    // allocate more than was sent.
    if (count > reader.left() / sizeof(std::uint32_t)) return tl::unexpected(malformed("request"));
    texts->reserve(count);
    for (std::uint32_t i = 0; i < count; ++i) texts->emplace_back(reader.text());
  }
  if (op > static_cast<std::uint8_t>(StoreOp::erase) || !reader.complete())
    return tl::unexpected(malformed("request"));
  if (const auto fault = find_fault(request))
    return tl::unexpected(Error(ErrorCode::corrupt_data, *fault));
  return request;
}

Result<StoreReply> parse_reply(std::string_view payload) {
  ByteReader reader(payload);
  const auto outcome = reader.number<std::uint8_t>();
  if (outcome == static_cast<std::uint8_t>(Outcome::refused)) {
    const std::string message(reader.text());
    if (!reader.complete() || message.empty()) return tl::unexpected(malformed("reply"));
    return tl::unexpected(Error(ErrorCode::failed, message));
  }
  StoreReply reply{.status = static_cast<StoreStatus>(outcome)};
  reply.number = reader.number<std::int64_t>();
  const auto count = reader.number<std::uint32_t>();
  if (outcome > static_cast<std::uint8_t>(Outcome::refused) || count > reader.left())
    return tl::unexpected(malformed("reply"));
  reply.values.reserve(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto present = reader.number<std::uint8_t>();
    if (present > 1) return tl::unexpected(malformed("reply"));
    auto& value = reply.values.emplace_back();
    if (present == 1) value.emplace(reader.text());
  }
  if (!reader.complete()) return tl::unexpected(malformed("reply"));
  return reply;
}

}  // namespace megascale::comm
