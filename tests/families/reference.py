#!/usr/bin/python3
"""Llama, Mistral, Qwen2 and Qwen3 in numpy, in float64, with gradients written by hand. Knows nothing of the C++ code.

    reference.py make FAMILY DIR [VOCABULARY]   writes a small model with random weights as Hugging Face lays it out
    reference.py logits DIR IDS LOGITS          compares logits (float32, one row for each of the last tokens) after the int32 IDS
    reference.py train DIR TOKENS METRICS       trains on the int32 TOKENS and compares the losses of METRICS, a JSONL file

--with KEY=JSON changes a key of config.json before the comparison, which must then fail. Keys of the reference alone:
_biases, _head_norms. Exit codes: 0 equal within --bound, 1 not."""
import argparse
import json
import os
import struct
import sys

import numpy as np

VOCABULARY, WIDTH, INNER, LAYERS, HEADS, GROUPS = 256, 32, 48, 4, 4, 2


# A model directory, made and read.

def common(model_type, architecture, **more):
    return {"_name_or_path": "a-lab/a-model", "architectures": [architecture], "attention_dropout": 0.0, "bos_token_id": 1,
            "eos_token_id": [2, 3], "hidden_act": "silu", "hidden_size": WIDTH, "initializer_range": 0.02, "intermediate_size": INNER,
            "max_position_embeddings": 64, "model_type": model_type, "num_attention_heads": HEADS, "num_hidden_layers": LAYERS,
            "num_key_value_heads": GROUPS, "rms_norm_eps": 1e-06, "rope_theta": 500.0, "torch_dtype": "float32",
            "transformers_version": "4.51.0", "use_cache": True, "vocab_size": VOCABULARY, **more}


FAMILIES = {
    "llama": common("llama", "LlamaForCausalLM", attention_bias=False, mlp_bias=False, pretraining_tp=1, tie_word_embeddings=True,
                    rope_scaling={"factor": 8.0, "high_freq_factor": 4.0, "low_freq_factor": 1.0,
                                  "original_max_position_embeddings": 16, "rope_type": "llama3"}),
    "mistral": common("mistral", "MistralForCausalLM", sliding_window=8, tie_word_embeddings=False),
    "qwen2": common("qwen2", "Qwen2ForCausalLM", use_sliding_window=True, sliding_window=8, max_window_layers=2,
                    tie_word_embeddings=True, torch_dtype="bfloat16"),
    "qwen3": common("qwen3", "Qwen3ForCausalLM", attention_bias=False, head_dim=16, use_sliding_window=False, sliding_window=None,
                    max_window_layers=LAYERS, rope_scaling=None, tie_word_embeddings=False, torch_dtype="bfloat16"),
}


def shapes_of(config):
    size = config.get("head_dim", WIDTH // HEADS)
    queries, keys = HEADS * size, GROUPS * size
    shapes = {"model.embed_tokens.weight": [config["vocab_size"], WIDTH], "model.norm.weight": [WIDTH]}
    for i in range(LAYERS):
        p = f"model.layers.{i}."
        shapes[p + "input_layernorm.weight"] = shapes[p + "post_attention_layernorm.weight"] = [WIDTH]
        for name, shape in {"q": [queries, WIDTH], "k": [keys, WIDTH], "v": [keys, WIDTH], "o": [WIDTH, queries]}.items():
            shapes[f"{p}self_attn.{name}_proj.weight"] = shape
            if config["model_type"] == "qwen2" and name != "o":
                shapes[f"{p}self_attn.{name}_proj.bias"] = shape[:1]
        if config["model_type"] == "qwen3":
            shapes[p + "self_attn.q_norm.weight"] = shapes[p + "self_attn.k_norm.weight"] = [size]
        for name, shape in {"gate": [INNER, WIDTH], "up": [INNER, WIDTH], "down": [WIDTH, INNER]}.items():
            shapes[f"{p}mlp.{name}_proj.weight"] = shape
    if not config["tie_word_embeddings"]:
        shapes["lm_head.weight"] = [config["vocab_size"], WIDTH]
    return shapes


def random_weights(config):
    random = np.random.default_rng(len(config["model_type"]))
    weights = {}
    for name, shape in shapes_of(config).items():
        values = random.standard_normal(shape) * (0.15 if len(shape) == 2 else 0.3)
        if name.endswith("norm.weight"):
            values += 1
        if "q_proj" in name or "k_proj" in name:
            values *= 1.5  # so that an error of the mask or the positions shows; chaotic rounding errors would from 3 on
        weights[name] = values.astype("<f4")
    return weights


def safetensors(weights, bfloat16):
    header, data = {"__metadata__": {"format": "pt"}}, b""
    for name in sorted(weights):
        raw = weights[name].tobytes()
        if bfloat16:
            raw = (weights[name].view("<u4") >> 16).astype("<u2").tobytes()
        header[name] = {"dtype": "BF16" if bfloat16 else "F32", "shape": list(weights[name].shape),
                        "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + data


def make(family, directory, vocabulary=VOCABULARY):
    config = {**FAMILIES[family], "vocab_size": int(vocabulary)}
    weights = random_weights(config)
    os.makedirs(directory)

    def write(name, content):
        with open(os.path.join(directory, name), "wb") as file:
            file.write(content)

    write("config.json", json.dumps(config, indent=2).encode())  # as many have it: without a line end
    write("generation_config.json", b'{\n  "do_sample": true,\n  "temperature": 0.6\n}\n')
    bfloat16 = config["torch_dtype"] == "bfloat16"
    if family != "qwen2":
        write("model.safetensors", safetensors(weights, bfloat16))
        return
    names = sorted(weights)
    parts = [names[: len(names) // 3], names[len(names) // 3 :]]
    index = {"metadata": {"total_size": sum(w.size for w in weights.values()) * 2}, "weight_map": {}}
    for number, part in enumerate(parts, 1):
        name = f"model-{number:05}-of-00002.safetensors"
        write(name, safetensors({n: weights[n] for n in part}, bfloat16))
        index["weight_map"].update({n: name for n in part})
    write("model.safetensors.index.json", json.dumps(index, indent=2).encode() + b"\n")


def read_file(path):
    with open(path, "rb") as file:
        data = file.read()
    (length,) = struct.unpack("<Q", data[:8])
    weights = {}
    for name, entry in json.loads(data[8 : 8 + length]).items():
        if name == "__metadata__":
            continue
        raw = data[8 + length + entry["data_offsets"][0] : 8 + length + entry["data_offsets"][1]]
        if entry["dtype"] == "BF16":
            values = (np.frombuffer(raw, "<u2").astype("<u4") << 16).view("<f4")
        else:
            assert entry["dtype"] == "F32", entry
            values = np.frombuffer(raw, "<f4")
        weights[name] = values.reshape(entry["shape"]).astype(np.float64)
    return weights


def read_model(directory):
    weights = {}
    for name in sorted(os.listdir(directory)):
        if name.endswith(".safetensors"):
            weights.update(read_file(os.path.join(directory, name)))
    with open(os.path.join(directory, "config.json"), encoding="utf-8") as file:
        return json.load(file), weights


# The model: functions that return a result and what their gradient needs.

def rms_norm(x, weight, eps):
    scale = 1 / np.sqrt((x * x).mean(-1, keepdims=True) + eps)
    return x * scale * weight, (x * scale, scale, weight)


def rms_norm_gradient(dy, saved):
    z, scale, weight = saved
    g = dy * weight
    return scale * (g - z * (g * z).mean(-1, keepdims=True)), (dy * z).reshape(-1, z.shape[-1]).sum(0)


def frequencies(config, size):
    """transformers' modeling_rope_utils: the default, and llama3."""
    inverse = 1.0 / config["rope_theta"] ** (np.arange(0, size, 2) / size)
    scaling = config.get("rope_scaling")
    if scaling is None:
        return inverse
    low, high, factor = scaling["low_freq_factor"], scaling["high_freq_factor"], scaling["factor"]
    original = scaling["original_max_position_embeddings"]
    wavelength = 2 * np.pi / inverse
    smooth = (original / wavelength - low) / (high - low)
    medium = (1 - smooth) * inverse / factor + smooth * inverse
    scaled = np.where(wavelength > original / low, inverse / factor, inverse)
    return np.where((wavelength <= original / low) & (wavelength >= original / high), medium, scaled)


def rotate(x, angles, sign):
    half = x.shape[-1] // 2
    a, b, cos, sin = x[..., :half], x[..., half:], np.cos(angles), sign * np.sin(angles)
    return np.concatenate([a * cos - b * sin, b * cos + a * sin], -1)


def visible(config, layer, tokens):
    query, key = np.arange(tokens)[:, None], np.arange(tokens)[None, :]
    window = config.get("sliding_window")
    if config["model_type"].startswith("qwen") and not (config["use_sliding_window"] and layer >= config["max_window_layers"]):
        window = None
    seen = key <= query
    return seen if window is None else seen & (key > query - window)


class Model:
    def __init__(self, config, weights):
        self.config, self.w = config, weights
        self.heads, self.groups = config["num_attention_heads"], config["num_key_value_heads"]
        self.size = config.get("head_dim") or config["hidden_size"] // self.heads
        self.head = "model.embed_tokens.weight" if config["tie_word_embeddings"] else "lm_head.weight"
        self.gradients = {}

    def linear(self, x, name):
        y = x @ self.w[name + ".weight"].T
        return y + self.w[name + ".bias"] if self.has_bias(name) else y

    def has_bias(self, name):
        return name + ".bias" in self.w and self.config.get("_biases", True)

    def add(self, name, gradient):
        self.gradients[name] = self.gradients.get(name, 0) + gradient

    def linear_gradient(self, dy, x, name):
        rows, inputs = dy.reshape(-1, dy.shape[-1]), x.reshape(-1, x.shape[-1])
        self.add(name + ".weight", rows.T @ inputs)
        if self.has_bias(name):
            self.add(name + ".bias", rows.sum(0))
        return dy @ self.w[name + ".weight"]

    def norm_gradient(self, dy, saved, name):
        dx, dw = rms_norm_gradient(dy, saved)
        self.add(name, dw)
        return dx

    def split(self, x, heads):
        return x.reshape(*x.shape[:2], heads, self.size).transpose(0, 2, 1, 3)

    @staticmethod
    def merge(x):
        return x.transpose(0, 2, 1, 3).reshape(x.shape[0], x.shape[2], -1)

    def head_norms(self):
        return self.config["model_type"] == "qwen3" and self.config.get("_head_norms", True)

    def attention(self, x, layer, p):
        eps = self.config["rms_norm_eps"]
        q, k, v = (self.split(self.linear(x, f"{p}self_attn.{n}_proj"), h)
                   for n, h in (("q", self.heads), ("k", self.groups), ("v", self.groups)))
        norms = None
        if self.head_norms():
            q, of_q = rms_norm(q, self.w[p + "self_attn.q_norm.weight"], eps)
            k, of_k = rms_norm(k, self.w[p + "self_attn.k_norm.weight"], eps)
            norms = of_q, of_k
        q, k = rotate(q, self.angles, 1), rotate(k, self.angles, 1)
        repeated = self.heads // self.groups
        keys, values = (np.repeat(t, repeated, 1) for t in (k, v))
        scores = q @ keys.swapaxes(2, 3) / np.sqrt(self.size)
        scores = np.where(visible(self.config, layer, x.shape[1]), scores, -np.inf)
        probabilities = np.exp(scores - scores.max(-1, keepdims=True))
        probabilities /= probabilities.sum(-1, keepdims=True)
        mixed = self.merge(probabilities @ values)
        return self.linear(mixed, p + "self_attn.o_proj"), (x, norms, q, keys, values, probabilities, mixed)

    def attention_gradient(self, dy, saved, p):
        x, norms, q, keys, values, probabilities, mixed = saved
        dmixed = self.split(self.linear_gradient(dy, mixed, p + "self_attn.o_proj"), self.heads)
        dp = dmixed @ values.swapaxes(2, 3)
        ds = probabilities * (dp - (dp * probabilities).sum(-1, keepdims=True)) / np.sqrt(self.size)
        of_group = lambda t: t.reshape(t.shape[0], self.groups, -1, *t.shape[2:]).sum(2)
        dq, dk = ds @ keys, of_group(ds.swapaxes(2, 3) @ q)
        dv = of_group(probabilities.swapaxes(2, 3) @ dmixed)
        dq, dk = rotate(dq, self.angles, -1), rotate(dk, self.angles, -1)
        if norms is not None:
            dq = self.norm_gradient(dq, norms[0], p + "self_attn.q_norm.weight")
            dk = self.norm_gradient(dk, norms[1], p + "self_attn.k_norm.weight")
        return sum(self.linear_gradient(self.merge(d), x, f"{p}self_attn.{n}_proj") for n, d in (("q", dq), ("k", dk), ("v", dv)))

    def mlp(self, x, p):
        gate, up = self.linear(x, p + "mlp.gate_proj"), self.linear(x, p + "mlp.up_proj")
        sigmoid = 1 / (1 + np.exp(-gate))
        hidden = gate * sigmoid * up
        return self.linear(hidden, p + "mlp.down_proj"), (x, gate, up, sigmoid, hidden)

    def mlp_gradient(self, dy, saved, p):
        x, gate, up, sigmoid, hidden = saved
        dh = self.linear_gradient(dy, hidden, p + "mlp.down_proj")
        dgate = dh * up * sigmoid * (1 + gate * (1 - sigmoid))
        return self.linear_gradient(dgate, x, p + "mlp.gate_proj") + self.linear_gradient(dh * gate * sigmoid, x, p + "mlp.up_proj")

    def forward(self, ids):
        """ids: [sequences, tokens]. Returns the logits of all tokens."""
        eps = self.config["rms_norm_eps"]
        self.angles = np.outer(np.arange(ids.shape[1]), frequencies(self.config, self.size))
        self.ids, self.saved = ids, []
        x = self.w["model.embed_tokens.weight"][ids]
        for layer in range(self.config["num_hidden_layers"]):
            p = f"model.layers.{layer}."
            y, first = rms_norm(x, self.w[p + "input_layernorm.weight"], eps)
            y, attended = self.attention(y, layer, p)
            x = x + y
            y, second = rms_norm(x, self.w[p + "post_attention_layernorm.weight"], eps)
            y, fed = self.mlp(y, p)
            x = x + y
            self.saved.append((first, attended, second, fed))
        self.last, self.final = rms_norm(x, self.w["model.norm.weight"], eps)
        return self.last @ self.w[self.head].T

    def backward(self, dlogits):
        self.gradients = {}
        self.add(self.head, dlogits.reshape(-1, dlogits.shape[-1]).T @ self.last.reshape(-1, self.last.shape[-1]))
        dx = self.norm_gradient(dlogits @ self.w[self.head], self.final, "model.norm.weight")
        for layer in reversed(range(self.config["num_hidden_layers"])):
            p = f"model.layers.{layer}."
            first, attended, second, fed = self.saved[layer]
            dx = dx + self.norm_gradient(self.mlp_gradient(dx, fed, p), second, p + "post_attention_layernorm.weight")
            dx = dx + self.norm_gradient(self.attention_gradient(dx, attended, p), first, p + "input_layernorm.weight")
        table = np.zeros_like(self.w["model.embed_tokens.weight"])
        np.add.at(table, self.ids.reshape(-1), dx.reshape(-1, dx.shape[-1]))
        self.add("model.embed_tokens.weight", table)
        return self.gradients


# The comparisons.

def compare_logits(arguments, config, weights):
    ids = np.fromfile(arguments.inputs, "<i4")
    got = np.fromfile(arguments.results, "<f4").reshape(-1, config["vocab_size"]).astype(np.float64)
    want = Model(config, weights).forward(ids[None])[0][-len(got):]
    assert want.std() > 0.1, "logits are too small to tell anything"
    worst = (np.linalg.norm(got - want, axis=1) / np.linalg.norm(want, axis=1)).max()
    print(f"{config['model_type']}: {len(got)} rows of logits, worst relative difference {worst:.2e}")
    return worst


def compare_training(arguments, config, weights):
    tokens = np.fromfile(arguments.inputs, "<i4").astype(np.int64)
    with open(arguments.results, encoding="utf-8") as file:
        steps = [json.loads(line) for line in file]
    model = Model(config, weights)
    first, second = ({n: np.zeros_like(w) for n, w in weights.items()} for _ in range(2))
    per_step = arguments.sequences * arguments.length
    worst, (beta1, beta2), differences = 0.0, (0.9, 0.95), []
    for number, step in enumerate(steps):
        x = tokens[number * per_step : (number + 1) * per_step].reshape(arguments.sequences, arguments.length)
        y = tokens[number * per_step + 1 : (number + 1) * per_step + 1]
        logits = model.forward(x).reshape(per_step, -1)
        logits = logits - logits.max(-1, keepdims=True)
        log_sum = np.log(np.exp(logits).sum(-1, keepdims=True))
        loss = (log_sum[:, 0] - logits[np.arange(per_step), y]).mean()
        dlogits = np.exp(logits - log_sum)
        dlogits[np.arange(per_step), y] -= 1
        gradients = model.backward(dlogits.reshape(*x.shape, -1) / per_step)
        norm = np.sqrt(sum((g * g).sum() for g in gradients.values()))
        clip = min(1.0, arguments.clip / norm)
        for name, w in weights.items():
            g = gradients.get(name, np.zeros_like(w)) * clip  # none for a part that was left out
            first[name] = beta1 * first[name] + (1 - beta1) * g
            second[name] = beta2 * second[name] + (1 - beta2) * g * g
            update = first[name] / (1 - beta1 ** (number + 1)) / (np.sqrt(second[name] / (1 - beta2 ** (number + 1))) + 1e-8)
            w -= step["lr"] * (update + (0.1 * w if w.ndim > 1 else 0))
        for got, want in ((step["loss"], loss), (step["grad_norm"], norm)):
            differences.append(abs(got - want) / want)
            worst = worst if differences[-1] <= worst else differences[-1]  # NaN counts as worst
    if not worst <= arguments.bound and not arguments.changes:
        print("differences of losses", *(f"{d:.0e}" for d in differences[::2]), "and norms", *(f"{d:.0e}" for d in differences[1::2]))
    print(f"{config['model_type']}: {len(steps)} steps, loss {steps[0]['loss']:.4f} to {steps[-1]['loss']:.4f}, worst relative "
          f"difference of a loss or a gradient norm {worst:.2e}")
    return worst


def main():
    if sys.argv[1:2] == ["make"]:
        make(*sys.argv[2:])
        return 0
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["logits", "train"])
    parser.add_argument("model")
    parser.add_argument("inputs")
    parser.add_argument("results")
    parser.add_argument("--sequences", type=int, default=4)
    parser.add_argument("--length", type=int, default=32)
    parser.add_argument("--clip", type=float, default=1.0)
    parser.add_argument("--bound", type=float, default=1e-4)
    parser.add_argument("--with", dest="changes", action="append", default=[])
    arguments = parser.parse_args()
    config, weights = read_model(arguments.model)
    config.update({key: json.loads(value) for key, value in (change.split("=", 1) for change in arguments.changes)})
    worst = (compare_logits if arguments.what == "logits" else compare_training)(arguments, config, weights)
    return 0 if worst <= arguments.bound else 1


if __name__ == "__main__":
    sys.exit(main())
