#include "megascale/checkpoint/huggingface/output_directory.h"

#include <fmt/format.h>

#include <span>
#include <system_error>

#include "megascale/base/error.h"

namespace megascale::checkpoint::huggingface {

void write_directory(const std::filesystem::path& output, std::uint64_t nbytes,
                     const std::function<void(const std::filesystem::path&)>& write) {
  const std::filesystem::path absolute = std::filesystem::absolute(output).lexically_normal();
  const std::filesystem::path target = absolute.has_filename() ? absolute : absolute.parent_path();
  std::error_code error;
  if (std::filesystem::exists(target, error) && !std::filesystem::is_empty(target, error)) {
    throw Error(
        ErrorCode::bad_input,
        fmt::format("{}: expected a directory that does not exist or is empty", output.string()));
  }
  const Storage storage;
  storage.create_directories(target.parent_path());
  require_space(target.parent_path(), nbytes + (std::uint64_t{1} << 20), "the export");
  const std::filesystem::path partial =
      target.parent_path() / fmt::format(".partial-{}-{}", target.filename().string(), random_id());
  storage.create_directory(partial);
  try {
    write(partial);
    storage.sync_directory(partial);
    storage.rename(partial, target);
  } catch (...) {
    std::filesystem::remove_all(partial, error);
    throw;
  }
  storage.sync_directory(target.parent_path());
}

void write_file(const std::filesystem::path& path, std::string_view text, const Storage& storage) {
  const FileHandle file = storage.create_file(path);
  storage.write(file, std::as_bytes(std::span(text.data(), text.size())), path);
  storage.sync(file, path);
}

}  // namespace megascale::checkpoint::huggingface
