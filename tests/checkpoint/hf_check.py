#!/usr/bin/env python3
"""Checks exports to Hugging Face against the checkpoints they were made from: hf_check.py CHECKPOINT EXPORT ...

Knows nothing of the C++ code. It reads the safetensors format by hand, requires the tensor names and shapes that transformers
expects for the config.json, and runs a forward pass twice: from the export, written after transformers' modelling_gpt2 and
modelling_llama, and from the checkpoint, in this project's layout. The logits must agree to 1e-5.
Exit codes: 0 good, 1 not, 77 no torch here."""
import json
import os
import struct
import sys

try:
    import numpy as np
    import torch
    import torch.nn.functional as F
except ImportError:
    sys.exit(77)

NUMPY = {"F32": np.float32, "F64": np.float64, "I32": np.int32, "I64": np.int64, "U8": np.uint8}


def read_safetensors(path):
    with open(path, "rb") as file:
        data = file.read()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8:8 + length])
    metadata = header.pop("__metadata__", {})
    tensors = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        array = np.frombuffer(data[8 + length + begin:8 + length + end], dtype=NUMPY[entry["dtype"]])
        tensors[name] = torch.from_numpy(array.reshape(entry["shape"]).copy())
    return tensors, metadata


def read_checkpoint(directory):
    """Logical tensors, put together from the pieces that the manifest names."""
    with open(os.path.join(directory, "manifest.json"), encoding="utf-8") as file:
        manifest = json.load(file)
    tensors = {}
    for shard in manifest["shards"]:
        with open(os.path.join(directory, shard["file"]), "rb") as file:
            data = file.read()
        for piece in shard["pieces"]:
            values = np.frombuffer(data[piece["begin"]:piece["end"]], dtype=NUMPY[piece["dtype"]]).reshape(piece["shape"])
            whole = tensors.setdefault(piece["name"], torch.full(piece["global_shape"], float("nan")))
            index = tuple(slice(o, o + s) for o, s in zip(piece["offset"], piece["shape"]))
            whole[index] = torch.from_numpy(values.copy())
    return tensors


def read_export(directory):
    index = os.path.join(directory, "model.safetensors.index.json")
    if not os.path.exists(index):
        tensors, metadata = read_safetensors(os.path.join(directory, "model.safetensors"))
        assert metadata.get("format") == "pt", metadata
        return tensors
    with open(index, encoding="utf-8") as file:
        content = json.load(file)
    tensors = {}
    for name in sorted(set(content["weight_map"].values())):
        part, metadata = read_safetensors(os.path.join(directory, name))
        assert metadata.get("format") == "pt", metadata
        for tensor in part:
            assert content["weight_map"][tensor] == name, tensor
        tensors.update(part)
    assert set(tensors) == set(content["weight_map"])
    assert content["metadata"]["total_size"] == sum(t.numel() * t.element_size() for t in tensors.values())
    return tensors


def causal(q, k, v):
    """q, k, v: [heads, tokens, size]"""
    scores = q @ k.transpose(1, 2) / q.shape[-1] ** 0.5
    tokens = q.shape[1]
    scores = scores.masked_fill(torch.triu(torch.ones(tokens, tokens, dtype=torch.bool), 1), float("-inf"))
    return torch.softmax(scores, -1) @ v


def heads_of(x, heads):
    return x.view(x.shape[0], heads, -1).transpose(0, 1)


def merged(x):
    return x.transpose(0, 1).reshape(x.shape[1], -1)


def gelu_new(x):
    return 0.5 * x * (1 + torch.tanh((2 / torch.pi) ** 0.5 * (x + 0.044715 * x ** 3)))


def rms_norm(x, weight, eps):
    return weight * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps))


def rotate_half(x):
    half = x.shape[-1] // 2
    return torch.cat((-x[..., half:], x[..., :half]), -1)


def rotary(x, base):
    size, tokens = x.shape[-1], x.shape[1]
    inv_freq = 1.0 / base ** (torch.arange(0, size, 2, dtype=torch.float64) / size)
    freqs = torch.outer(torch.arange(tokens, dtype=torch.float64), inv_freq)
    emb = torch.cat((freqs, freqs), -1)
    return x * emb.cos() + rotate_half(x) * emb.sin()


# Their layout: transformers/models/gpt2/modeling_gpt2.py, models/llama/modeling_llama.py.

def hf_gpt2(c, w, ids):
    def conv1d(x, name):
        return x @ w[name + ".weight"] + w[name + ".bias"]

    def norm(x, name):
        return F.layer_norm(x, (c["n_embd"],), w[name + ".weight"], w[name + ".bias"], c["layer_norm_epsilon"])

    x = w["transformer.wte.weight"][ids] + w["transformer.wpe.weight"][:len(ids)]
    for i in range(c["n_layer"]):
        h = f"transformer.h.{i}."
        q, k, v = conv1d(norm(x, h + "ln_1"), h + "attn.c_attn").split(c["n_embd"], dim=1)
        x = x + conv1d(merged(causal(*(heads_of(t, c["n_head"]) for t in (q, k, v)))), h + "attn.c_proj")
        x = x + conv1d(gelu_new(conv1d(norm(x, h + "ln_2"), h + "mlp.c_fc")), h + "mlp.c_proj")
    head = w["transformer.wte.weight"] if c["tie_word_embeddings"] else w["lm_head.weight"]
    return norm(x, "transformer.ln_f") @ head.T


def hf_gpt2_shapes(c):
    width, inner = c["n_embd"], c["n_inner"]
    shapes = {"wte.weight": [c["vocab_size"], width], "wpe.weight": [c["n_positions"], width]}
    for i in range(c["n_layer"]):
        for name, shape in {"attn.c_attn": [width, 3 * width], "attn.c_proj": [width, width],
                            "mlp.c_fc": [width, inner], "mlp.c_proj": [inner, width]}.items():
            shapes[f"h.{i}.{name}.weight"], shapes[f"h.{i}.{name}.bias"] = shape, shape[1:]
    for norm in ["ln_f"] + [f"h.{i}.ln_{n}" for i in range(c["n_layer"]) for n in (1, 2)]:
        shapes[norm + ".weight"] = shapes[norm + ".bias"] = [width]
    shapes = {"transformer." + name: shape for name, shape in shapes.items()}
    if not c["tie_word_embeddings"]:
        shapes["lm_head.weight"] = [c["vocab_size"], width]
    return shapes


def hf_llama(c, w, ids):
    def linear(x, name):
        return F.linear(x, w[name + ".weight"], w.get(name + ".bias"))

    eps, heads, groups = c["rms_norm_eps"], c["num_attention_heads"], c["num_key_value_heads"]
    x = w["model.embed_tokens.weight"][ids]
    for i in range(c["num_hidden_layers"]):
        p = f"model.layers.{i}."
        h = rms_norm(x, w[p + "input_layernorm.weight"], eps)
        q, k, v = (linear(h, p + f"self_attn.{n}_proj") for n in "qkv")
        q, k, v = rotary(heads_of(q, heads), c["rope_theta"]), rotary(heads_of(k, groups), c["rope_theta"]), heads_of(v, groups)
        k, v = (t.repeat_interleave(heads // groups, dim=0) for t in (k, v))
        x = x + linear(merged(causal(q, k, v)), p + "self_attn.o_proj")
        h = rms_norm(x, w[p + "post_attention_layernorm.weight"], eps)
        x = x + linear(F.silu(linear(h, p + "mlp.gate_proj")) * linear(h, p + "mlp.up_proj"), p + "mlp.down_proj")
    head = w["model.embed_tokens.weight"] if c["tie_word_embeddings"] else w["lm_head.weight"]
    return rms_norm(x, w["model.norm.weight"], eps) @ head.T


def hf_llama_shapes(c):
    width, inner = c["hidden_size"], c["intermediate_size"]
    q, kv = c["num_attention_heads"] * c["head_dim"], c["num_key_value_heads"] * c["head_dim"]
    shapes = {"model.embed_tokens.weight": [c["vocab_size"], width], "model.norm.weight": [width]}
    for i in range(c["num_hidden_layers"]):
        p = f"model.layers.{i}."
        shapes[p + "input_layernorm.weight"] = shapes[p + "post_attention_layernorm.weight"] = [width]
        for name, shape, bias in [("self_attn.q_proj", [q, width], "attention_bias"), ("self_attn.k_proj", [kv, width], "attention_bias"),
                                  ("self_attn.v_proj", [kv, width], "attention_bias"), ("self_attn.o_proj", [width, q], "attention_bias"),
                                  ("mlp.gate_proj", [inner, width], "mlp_bias"), ("mlp.up_proj", [inner, width], "mlp_bias"),
                                  ("mlp.down_proj", [width, inner], "mlp_bias")]:
            shapes[p + name + ".weight"] = shape
            if c[bias]:
                shapes[p + name + ".bias"] = shape[:1]
    if not c["tie_word_embeddings"]:
        shapes["lm_head.weight"] = [c["vocab_size"], width]
    return shapes


# Our layout: y = x W^T + b; qkv rows are (query heads | key groups | value groups), gate_up rows (gate | up).

def ours(c, w, ids):
    gpt2 = c["model_type"] == "gpt2"
    layers, heads = (c["n_layer"], c["n_head"]) if gpt2 else (c["num_hidden_layers"], c["num_attention_heads"])
    groups = heads if gpt2 else c["num_key_value_heads"]
    size = c["n_embd"] // heads if gpt2 else c["head_dim"]

    def linear(x, name):
        return F.linear(x, w[name + ".weight"], w.get(name + ".bias"))

    def norm(x, name):
        if gpt2:
            return F.layer_norm(x, x.shape[-1:], w[name + ".weight"], w[name + ".bias"], c["layer_norm_epsilon"])
        return rms_norm(x, w[name + ".weight"], c["rms_norm_eps"])

    x = w["embedding.word.weight"][ids]
    if gpt2:
        x = x + w["embedding.position.weight"][:len(ids)]
    for i in range(layers):
        p = f"layers.{i}."
        qkv = linear(norm(x, p + "attention.norm"), p + "attention.qkv")
        q, k, v = qkv.split([heads * size, groups * size, groups * size], dim=1)
        q, k, v = heads_of(q, heads), heads_of(k, groups), heads_of(v, groups)
        if not gpt2:
            q, k = rotary(q, c["rope_theta"]), rotary(k, c["rope_theta"])
        # Query head h uses group h // (heads / groups).
        k, v = (torch.stack([t[h * groups // heads] for h in range(heads)]) for t in (k, v))
        x = x + linear(merged(causal(q, k, v)), p + "attention.output")
        h = norm(x, p + "mlp.norm")
        if gpt2:
            h = gelu_new(linear(h, p + "mlp.up"))
        else:
            gate, up = linear(h, p + "mlp.gate_up").chunk(2, dim=1)
            h = F.silu(gate) * up
        x = x + linear(h, p + "mlp.down")
    return norm(x, "final_norm") @ w.get("head.weight", w["embedding.word.weight"]).T


def check(checkpoint, export):
    with open(os.path.join(export, "config.json"), encoding="utf-8") as file:
        config = json.load(file)
    gpt2 = config["model_type"] == "gpt2"
    theirs, mine = read_export(export), read_checkpoint(checkpoint)
    shapes = (hf_gpt2_shapes if gpt2 else hf_llama_shapes)(config)
    found = {name: list(tensor.shape) for name, tensor in theirs.items()}
    assert found == shapes, f"{export}: names or shapes differ: {set(found) ^ set(shapes)}"
    theirs = {name: tensor.double() for name, tensor in theirs.items()}
    mine = {name: tensor.double() for name, tensor in mine.items()}
    torch.manual_seed(0)
    ids = torch.randint(0, config["vocab_size"], (12,))
    a = (hf_gpt2 if gpt2 else hf_llama)(config, theirs, ids)
    b = ours(config, mine, ids)
    difference = ((a - b).norm() / b.norm()).item()
    assert difference <= 1e-5, f"{export}: logits differ by {difference}"
    assert b.std() > 0.1, f"{export}: logits are too small to tell anything"
    # The comparison can fail: with two rows of a query projection exchanged it does.
    name = "layers.0.attention.qkv.weight"
    mine[name][[0, 1]] = mine[name][[1, 0]]
    changed = ((a - ours(config, mine, ids)).norm() / b.norm()).item()
    assert not changed <= 1e-5, f"{export}: the comparison does not see exchanged rows"
    print(f"{config['model_type']}: {len(found)} tensors, logits differ by {difference:.1e} (exchanged rows: {changed:.1e})")


if __name__ == "__main__":
    arguments = sys.argv[1:]
    assert arguments and len(arguments) % 2 == 0, __doc__
    for pair in zip(arguments[0::2], arguments[1::2]):
        check(*pair)
