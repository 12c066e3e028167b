#!/usr/bin/env python3
"""Adapters in the form of PEFT, read and written without this project's code and without PEFT.

  peft_adapters.py check BASE ADAPTERS MERGED   requires that the model MERGED is the model BASE plus the adapters
  peft_adapters.py make BASE ADAPTERS RANK ALPHA MODULE...   writes random adapters of these modules

BASE and MERGED are directories of Hugging Face, ADAPTERS has adapter_config.json and adapter_model.safetensors. An adapter belongs to
the modules whose name is a name of target_modules, or ends with "." and it, as in peft/tuners/tuners_utils.py. It adds
lora_alpha / r lora_B lora_A to the weight, transposed if fan_in_fan_out (peft/tuners/lora/layer.py, get_delta_weight)."""
import json
import os
import struct
import sys

import numpy as np

NUMPY = {"F32": np.float32}
PREFIX = "base_model.model."


def read_safetensors(path):
    with open(path, "rb") as file:
        data = file.read()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8:8 + length])
    header.pop("__metadata__", None)
    tensors = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        tensors[name] = np.frombuffer(data[8 + length + begin:8 + length + end], dtype=NUMPY[entry["dtype"]]).reshape(entry["shape"])
    return tensors


def write_safetensors(path, tensors):
    header, at = {"__metadata__": {"format": "pt"}}, 0
    for name, tensor in tensors.items():
        header[name] = {"dtype": "F32", "shape": list(tensor.shape), "data_offsets": [at, at + tensor.nbytes]}
        at += tensor.nbytes
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for tensor in tensors.values():
            file.write(tensor.astype("<f4").tobytes())


def read_json(directory, name):
    with open(os.path.join(directory, name), encoding="utf-8") as file:
        return json.load(file)


def check(base_directory, adapters_directory, merged_directory):
    base = read_safetensors(os.path.join(base_directory, "model.safetensors"))
    merged = read_safetensors(os.path.join(merged_directory, "model.safetensors"))
    adapters = read_safetensors(os.path.join(adapters_directory, "adapter_model.safetensors"))
    config = read_json(adapters_directory, "adapter_config.json")
    assert config["peft_type"] == "LORA" and config["task_type"] == "CAUSAL_LM", config
    assert set(base) == set(merged)
    modules = {name[:-len(".weight")] for name in base if name.endswith(".weight")}
    targets = config["target_modules"]
    adapted = {m for m in modules if any(m == t or m.endswith("." + t) for t in targets)}
    expected = {f"{PREFIX}{m}.lora_{part}.weight" for m in adapted for part in "AB"}
    assert set(adapters) == expected, set(adapters) ^ expected
    worst = 0
    for name, weight in base.items():
        module = name[:-len(".weight")]
        if module not in adapted or not name.endswith(".weight"):
            assert np.array_equal(merged[name], weight), f"{name} has changed"
            continue
        a, b = (adapters[f"{PREFIX}{module}.lora_{part}.weight"].astype(np.float64) for part in "AB")
        assert a.shape[0] == b.shape[1] == config["r"], name
        delta = config["lora_alpha"] / config["r"] * (b @ a)
        delta = delta.T if config["fan_in_fan_out"] else delta
        assert np.abs(delta).max() > 1e-4, f"the adapter of {name} does nothing"
        worst = max(worst, np.abs(weight + delta - merged[name]).max())
    assert worst < 1e-6, worst
    print(f"{len(adapted)} modules, worst difference {worst:.1e}")


def make(base_directory, adapters_directory, rank, alpha, modules):
    base = read_safetensors(os.path.join(base_directory, "model.safetensors"))
    random = np.random.default_rng(1)
    tensors = {}
    for name in sorted(base):
        module = name[:-len(".weight")]
        if not name.endswith(".weight") or not any(module.endswith("." + m) for m in modules):
            continue
        outputs, inputs = base[name].shape
        tensors[f"{PREFIX}{module}.lora_A.weight"] = random.normal(0, 0.2, (rank, inputs)).astype(np.float32)
        tensors[f"{PREFIX}{module}.lora_B.weight"] = random.normal(0, 0.2, (outputs, rank)).astype(np.float32)
    os.makedirs(adapters_directory)
    write_safetensors(os.path.join(adapters_directory, "adapter_model.safetensors"), tensors)
    with open(os.path.join(adapters_directory, "adapter_config.json"), "w", encoding="utf-8") as file:
        json.dump({"peft_type": "LORA", "task_type": "CAUSAL_LM", "r": rank, "lora_alpha": alpha, "target_modules": modules, "bias": "none",
                   "fan_in_fan_out": False, "modules_to_save": None, "rank_pattern": {}, "alpha_pattern": {}}, file)


if __name__ == "__main__":
    if sys.argv[1] == "check":
        check(*sys.argv[2:5])
    else:
        make(sys.argv[2], sys.argv[3], int(sys.argv[4]), float(sys.argv[5]), sys.argv[6:])
