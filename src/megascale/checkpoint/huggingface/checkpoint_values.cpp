#include "megascale/checkpoint/huggingface/checkpoint_values.h"

#include <fmt/format.h>

#include "megascale/base/error.h"
#include "megascale/checkpoint/huggingface/model_json.h"
#include "megascale/config/load.h"

namespace megascale::checkpoint::huggingface {

ModelConfig exportable_model(const Opened& checkpoint) {
  ModelConfig model =
      parse_config(checkpoint.state().config, (checkpoint.path() / "manifest.json").string()).model;
  // Before a table of tensors is made, whose size follows from the number of layers.
  if (static_cast<std::uint64_t>(model.num_layers) > checkpoint.tensors().size()) {
    throw Error(ErrorCode::bad_input,
                fmt::format("expected tensors of {} layers, as the configuration in the checkpoint "
                            "says, found {} tensors in all",
                            model.num_layers, checkpoint.tensors().size()));
  }
  check_exportable(model);
  return model;
}

void check_tensor(const Opened& checkpoint, const TensorMapping& mapping) {
  const LogicalTensor& tensor = checkpoint.tensor(mapping.ours);
  if (tensor.dtype != DType::float32 || tensor.shape != mapping.shape) {
    throw Error(
        ErrorCode::bad_input,
        fmt::format("{}: expected \"{}\" to be float32 {}, as its configuration says, found {} {}",
                    checkpoint.path().string(), mapping.ours, to_string(mapping.shape),
                    to_string(tensor.dtype), to_string(tensor.shape)));
  }
}

std::vector<float> read_values(const Opened& checkpoint, const TensorMapping& mapping) {
  const Box box = mapping.box();
  std::vector<float> values(*checked_numel(box.shape));
  checkpoint.read(mapping.ours, box.offset, box.shape, std::as_writable_bytes(std::span(values)));
  return values;
}

}  // namespace megascale::checkpoint::huggingface
