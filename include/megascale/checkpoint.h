#ifndef MEGASCALE_CHECKPOINT_H_
#define MEGASCALE_CHECKPOINT_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// Reading of checkpoints. Tensors are those of the whole model, whatever layout of ranks has saved
// them. All functions throw megascale::Error.
namespace megascale {

struct TensorInfo {
  std::string name;   // a parameter NAME, or its moments NAME.first_moment and NAME.second_moment
  std::string dtype;  // "float32"
  std::vector<std::int64_t> shape;
};
// A tensor's elements, row-major and little-endian. They do not change.
struct TensorData {
  TensorInfo info;
  std::span<const std::byte> bytes;
  bool mapped = false;                // the bytes are those of the file, not a copy
  std::shared_ptr<const void> owner;  // the bytes live as long as this
};

// Immutable; copies share their content. Any thread may use it.
class Checkpoint {
 public:
  // Opens a checkpoint, or the newest good one of a directory of checkpoints. Bytes are compared with
  // their digests when they are read for the first time.
  explicit Checkpoint(const std::filesystem::path& path);
  [[nodiscard]] const std::filesystem::path& path() const noexcept;
  [[nodiscard]] std::int64_t step() const noexcept;  // steps that the state has seen
  // Returns the resolved configuration of the run that saved it, as TOML.
  [[nodiscard]] std::string configuration() const;
  // Lists all tensors, by name.
  [[nodiscard]] std::vector<TensorInfo> tensors() const;
  // Returns a tensor. If one file holds all of it, the file is mapped; if the file is then made
  // shorter, an access ends the process (SIGBUS). Otherwise the parts are copied together. Error: no
  // such tensor (with the nearest name), or damaged bytes.
  [[nodiscard]] TensorData tensor(std::string_view name) const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace megascale

#endif  // MEGASCALE_CHECKPOINT_H_
