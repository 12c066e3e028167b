// Regular expressions on PCRE2 with its JIT compiler. The match data and the stack of the compiled
// code belong to the thread, so that a compiled pattern is shared without locks.
#include "megascale/data/tokenizers/regex.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <fmt/format.h>
#include <pcre2.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <new>

#include "megascale/base/error.h"

namespace megascale::tokenizers {
namespace {

// The patterns in use need a few hundred bytes. A pattern with nested repeats of groups may need
// more for long texts; find() then falls back to the interpreter, which takes memory from the heap.
constexpr std::size_t kJitStackNbytes = 256 << 10;

// Bounds the steps back of one search, a second at most. Published patterns take none or one.
constexpr std::uint32_t kMatchLimit = 1'000'000;

// Memory for the searches of one thread: the match, and the stack of the compiled pattern.
class Workspace {
 public:
  Workspace()
      : match_data_(pcre2_match_data_create(1, nullptr)),
        context_(pcre2_match_context_create(nullptr)),
        stack_(pcre2_jit_stack_create(kJitStackNbytes, kJitStackNbytes, nullptr)) {
    if (match_data_ == nullptr || context_ == nullptr || stack_ == nullptr) {
      release();
      throw std::bad_alloc();
    }
    pcre2_jit_stack_assign(context_, nullptr, stack_);
    pcre2_set_match_limit(context_, kMatchLimit);
  }
  ~Workspace() { release(); }
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;
  [[nodiscard]] pcre2_match_data* match_data() const { return match_data_; }
  [[nodiscard]] pcre2_match_context* context() const { return context_; }

 private:
  void release() {
    pcre2_match_data_free(match_data_);
    pcre2_match_context_free(context_);
    pcre2_jit_stack_free(stack_);
  }
  pcre2_match_data* match_data_;
  pcre2_match_context* context_;
  pcre2_jit_stack* stack_;
};

std::string message_of(int code) {
  std::array<PCRE2_UCHAR, 256> text{};
  pcre2_get_error_message(code, text.data(), text.size());
  return {text.begin(), std::find(text.begin(), text.end(), 0)};
}

}  // namespace

void Regex::CodeDeleter::operator()(void* code) const noexcept {
  pcre2_code_free(static_cast<pcre2_code*>(code));
}

Regex::Regex(const std::string& pattern) {
  int error = 0;
  std::size_t place = 0;
  pcre2_code* code =
      pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()), pattern.size(),
                    PCRE2_UTF | PCRE2_UCP | PCRE2_NEVER_BACKSLASH_C | PCRE2_NO_AUTO_CAPTURE, &error,
                    &place, nullptr);
  if (code == nullptr) {
    throw Error(ErrorCode::bad_input,
                fmt::format("pattern \"{}\", byte {}: {}", pattern, place, message_of(error)));
  }
  code_.reset(code);
  // Without JIT support the interpreter runs the pattern; the results are the same.
  pcre2_jit_compile(code, PCRE2_JIT_COMPLETE);
}

std::optional<TextRange> Regex::find(std::string_view text, std::size_t from) const {
  static thread_local const Workspace workspace;
  const auto* code = static_cast<const pcre2_code*>(code_.get());
  const auto* subject = reinterpret_cast<PCRE2_SPTR>(text.data());
  int count = pcre2_match(code, subject, text.size(), from, PCRE2_NO_UTF_CHECK,
                          workspace.match_data(), workspace.context());
  if (count == PCRE2_ERROR_JIT_STACKLIMIT) {
    count = pcre2_match(code, subject, text.size(), from, PCRE2_NO_UTF_CHECK | PCRE2_NO_JIT,
                        workspace.match_data(), workspace.context());
  }
  if (count == PCRE2_ERROR_NOMATCH) return std::nullopt;
  if (count < 0) {
    throw Error(ErrorCode::bad_input,
                fmt::format("the tokenizer's pattern cannot be applied at byte {} of a text of {} "
                            "bytes: {}",
                            from, text.size(), message_of(count)));
  }
  const std::size_t* range = pcre2_get_ovector_pointer(workspace.match_data());
  return TextRange{range[0], range[1]};
}

}  // namespace megascale::tokenizers
