#!/usr/bin/python3
"""The dense families in numpy, in float64, with the gradients of tape.py. Knows nothing of the C++ code.

    reference.py make FAMILY DIR [VOCABULARY]   writes a small model with random weights as Hugging Face lays it out
    reference.py logits DIR IDS LOGITS          compares logits (float32, one row for each of the last tokens) after the int32 IDS
    reference.py train DIR TOKENS METRICS       trains on the int32 TOKENS and compares the losses of METRICS, a JSONL file

--with KEY=JSON changes a key of config.json before the comparison, which must then fail. Keys of the reference alone:
_biases, _head_norms, _scaled_embedding. Exit codes: 0 equal within --bound, 1 not."""
import argparse
import json
import os
import struct
import sys

import numpy as np

from tape import Tensor, concatenate, gradients

VOCABULARY, WIDTH, INNER, LAYERS, HEADS, GROUPS = 256, 32, 48, 4, 4, 2


# A model directory, made and read.

def common(model_type, architecture, **more):
    return {"_name_or_path": "a-lab/a-model", "architectures": [architecture], "attention_dropout": 0.0, "bos_token_id": 1,
            "eos_token_id": [2, 3], "hidden_act": "silu", "hidden_size": WIDTH, "initializer_range": 0.02, "intermediate_size": INNER,
            "max_position_embeddings": 64, "model_type": model_type, "num_attention_heads": HEADS, "num_hidden_layers": LAYERS,
            "num_key_value_heads": GROUPS, "rms_norm_eps": 1e-06, "rope_theta": 500.0, "torch_dtype": "float32",
            "transformers_version": "4.51.0", "use_cache": True, "vocab_size": VOCABULARY, **more}


GEMMA = {"attention_bias": False, "head_dim": 16, "hidden_act": "gelu_pytorch_tanh", "hidden_activation": "gelu_pytorch_tanh",
         "query_pre_attn_scalar": 24, "sliding_window": 8, "tie_word_embeddings": True}
FAMILIES = {
    "llama": common("llama", "LlamaForCausalLM", attention_bias=False, mlp_bias=False, pretraining_tp=1, tie_word_embeddings=True,
                    rope_scaling={"factor": 8.0, "high_freq_factor": 4.0, "low_freq_factor": 1.0,
                                  "original_max_position_embeddings": 16, "rope_type": "llama3"}),
    "mistral": common("mistral", "MistralForCausalLM", sliding_window=8, tie_word_embeddings=False),
    "qwen2": common("qwen2", "Qwen2ForCausalLM", use_sliding_window=True, sliding_window=8, max_window_layers=2,
                    tie_word_embeddings=True, torch_dtype="bfloat16"),
    "qwen3": common("qwen3", "Qwen3ForCausalLM", attention_bias=False, head_dim=16, use_sliding_window=False, sliding_window=None,
                    max_window_layers=LAYERS, rope_scaling=None, tie_word_embeddings=False, torch_dtype="bfloat16"),
    "smollm": common("llama", "LlamaForCausalLM", attention_bias=False, is_llama_config=True, mlp_bias=False, rms_norm_eps=1e-05,
                     rope_interleaved=False, rope_scaling=None, tie_word_embeddings=True, torch_dtype="bfloat16"),
    "linear": common("llama", "LlamaForCausalLM", tie_word_embeddings=True, rope_scaling={"type": "linear", "factor": 4.0}),
    "dynamic": common("llama", "LlamaForCausalLM", tie_word_embeddings=True, max_position_embeddings=16,
                      rope_scaling={"rope_type": "dynamic", "factor": 4.0}),
    "yarn": common("llama", "LlamaForCausalLM", tie_word_embeddings=True, head_dim=16,
                   rope_scaling={"rope_type": "yarn", "factor": 4.0, "beta_fast": 8.0, "original_max_position_embeddings": 32}),
    "phi3": common("phi3", "Phi3ForCausalLM", attention_bias=False, embd_pdrop=0.0, original_max_position_embeddings=64, resid_pdrop=0.0,
                   partial_rotary_factor=0.75, rope_scaling=None, sliding_window=8, tie_word_embeddings=False, torch_dtype="bfloat16"),
    "olmo2": common("olmo2", "Olmo2ForCausalLM", attention_bias=False, rope_scaling=None, tie_word_embeddings=False),
    "gpt_neox": {"architectures": ["GPTNeoXForCausalLM"], "bos_token_id": 0, "eos_token_id": 0, "hidden_act": "gelu", "hidden_size": WIDTH,
                 "initializer_range": 0.02, "intermediate_size": INNER, "layer_norm_eps": 1e-05, "max_position_embeddings": 64,
                 "model_type": "gpt_neox", "num_attention_heads": HEADS, "num_hidden_layers": LAYERS, "rotary_emb_base": 500,
                 "rotary_pct": 0.5, "tie_word_embeddings": False, "torch_dtype": "float32", "transformers_version": "4.24.0",
                 "use_cache": True, "use_parallel_residual": True, "vocab_size": VOCABULARY},
    "gemma2": common("gemma2", "Gemma2ForCausalLM", **GEMMA, attn_logit_softcapping=2.0, cache_implementation="hybrid",
                     final_logit_softcapping=3.0),
    "gemma3": common("gemma3_text", "Gemma3ForCausalLM", **GEMMA, attn_logit_softcapping=None, final_logit_softcapping=None,
                     rope_local_base_freq=20.0, rope_scaling={"factor": 2.0, "rope_type": "linear"}, sliding_window_pattern=3,
                     torch_dtype="bfloat16"),
}


def shapes_of_neox(config):
    shapes = {"gpt_neox.embed_in.weight": [config["vocab_size"], WIDTH], "embed_out.weight": [config["vocab_size"], WIDTH]}
    for i in range(LAYERS):
        p = f"gpt_neox.layers.{i}."
        for name, shape in {"attention.query_key_value": [3 * WIDTH, WIDTH], "attention.dense": [WIDTH, WIDTH],
                            "mlp.dense_h_to_4h": [INNER, WIDTH], "mlp.dense_4h_to_h": [WIDTH, INNER]}.items():
            shapes[p + name + ".weight"], shapes[p + name + ".bias"] = shape, shape[:1]
    for norm in ["gpt_neox.final_layer_norm"] + [f"gpt_neox.layers.{i}.{n}_layernorm" for i in range(LAYERS) for n in ("input", "post_attention")]:
        shapes[norm + ".weight"] = shapes[norm + ".bias"] = [WIDTH]
    return shapes


def norms_of_layer(family):
    if family == "olmo2":
        return ["post_attention", "post_feedforward"]
    gemma = ["pre_feedforward", "post_feedforward"] if family.startswith("gemma") else []
    return ["input", "post_attention"] + gemma


def shapes_of(config):
    family = config["model_type"]
    if family == "gpt_neox":
        return shapes_of_neox(config)
    size = config.get("head_dim", WIDTH // HEADS)
    queries, keys = HEADS * size, GROUPS * size
    shapes = {"model.embed_tokens.weight": [config["vocab_size"], WIDTH], "model.norm.weight": [WIDTH]}
    linears = {"self_attn.q_proj": [queries, WIDTH], "self_attn.k_proj": [keys, WIDTH], "self_attn.v_proj": [keys, WIDTH],
               "self_attn.o_proj": [WIDTH, queries], "mlp.gate_proj": [INNER, WIDTH], "mlp.up_proj": [INNER, WIDTH],
               "mlp.down_proj": [WIDTH, INNER]}
    if family == "phi3":
        linears = {"self_attn.qkv_proj": [queries + 2 * keys, WIDTH], "self_attn.o_proj": [WIDTH, queries],
                   "mlp.gate_up_proj": [2 * INNER, WIDTH], "mlp.down_proj": [WIDTH, INNER]}
    for i in range(LAYERS):
        p = f"model.layers.{i}."
        for norm in norms_of_layer(family):
            shapes[f"{p}{norm}_layernorm.weight"] = [WIDTH]
        for name, shape in linears.items():
            shapes[f"{p}{name}.weight"] = shape
            if family == "qwen2" and name[-6:] in ("q_proj", "k_proj", "v_proj"):
                shapes[f"{p}{name}.bias"] = shape[:1]
        if family in ("qwen3", "gemma3_text", "olmo2"):
            shapes[p + "self_attn.q_norm.weight"] = [queries if family == "olmo2" else size]
            shapes[p + "self_attn.k_norm.weight"] = [keys if family == "olmo2" else size]
    if not config["tie_word_embeddings"]:
        shapes["lm_head.weight"] = [config["vocab_size"], WIDTH]
    return shapes


def random_weights(config):
    random = np.random.default_rng(len(config["model_type"]))
    weights = {}
    for name, shape in shapes_of(config).items():
        values = random.standard_normal(shape) * (0.15 if len(shape) == 2 else 0.3)
        if name.endswith("norm.weight") and not config["model_type"].startswith("gemma"):
            values += 1
        if "q_proj" in name or "k_proj" in name:
            values *= 1.5  # so that an error of the mask or the positions shows; chaotic rounding errors would from 3 on
        weights[name] = values.astype("<f4")
    return weights


def buffers(config):
    """What files of Pythia hold beside the weights."""
    if config["model_type"] != "gpt_neox":
        return {}
    made = {}
    for i in range(LAYERS):
        p = f"gpt_neox.layers.{i}.attention."
        made[p + "bias"] = np.tril(np.ones((1, 1, 64, 64), bool))
        made[p + "masked_bias"] = np.array(-1e9, "<f4")
        made[p + "rotary_emb.inv_freq"] = np.array([1.0, 0.0447], "<f4")
    return made


def safetensors(weights, bfloat16):
    header, data = {"__metadata__": {"format": "pt"}}, b""
    for name in sorted(weights):
        raw = weights[name].tobytes()
        if bfloat16:
            raw = (weights[name].view("<u4") >> 16).astype("<u2").tobytes()
        dtype = "BOOL" if weights[name].dtype == bool else "BF16" if bfloat16 else "F32"
        header[name] = {"dtype": dtype, "shape": list(weights[name].shape),
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
        write("model.safetensors", safetensors({**weights, **buffers(config)}, bfloat16))
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
        if name == "__metadata__" or name.endswith((".attention.bias", ".masked_bias", ".inv_freq")):
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


# The model, after the families' pages in transformers.

def erf_gelu(x):
    return x * ((x * np.sqrt(0.5)).erf() + 1) * 0.5


def tanh_gelu(x):
    return x * (((x + x * x * x * 0.044715) * np.sqrt(2 / np.pi)).tanh() + 1) * 0.5


ACTIVATIONS = {"silu": lambda x: x * x.sigmoid(), "gelu": erf_gelu, "gelu_new": tanh_gelu, "gelu_pytorch_tanh": tanh_gelu}


def soft_cap(x, cap):
    return x if cap is None else (x * (1 / cap)).tanh() * cap


def yarn(inverse, base, scaling):
    """arXiv 2309.00071. Returns the frequencies and the factor of cosines and sines."""
    size, factor = 2 * len(inverse), scaling["factor"]
    number = lambda turns: size * np.log(scaling["original_max_position_embeddings"] / (turns * 2 * np.pi)) / (2 * np.log(base))
    low = max(np.floor(number(scaling.get("beta_fast", 32))), 0)
    high = min(np.ceil(number(scaling.get("beta_slow", 1))), size - 1)
    divided = np.clip((np.arange(size // 2) - low) / (high - low if high != low else 0.001), 0, 1)
    return inverse * (1 - divided) + inverse / factor * divided, scaling.get("attention_factor", 0.1 * np.log(factor) + 1)


def llama3(inverse, scaling):
    low, high, factor = scaling["low_freq_factor"], scaling["high_freq_factor"], scaling["factor"]
    original = scaling["original_max_position_embeddings"]
    wavelength = 2 * np.pi / inverse
    smooth = (original / wavelength - low) / (high - low)
    medium = (1 - smooth) * inverse / factor + smooth * inverse
    scaled = np.where(wavelength > original / low, inverse / factor, inverse)
    return np.where((wavelength <= original / low) & (wavelength >= original / high), medium, scaled)


def frequencies(config, size, tokens, local):
    """transformers' modeling_rope_utils. Returns the frequencies, and the factor of cosines and sines."""
    base = config.get("rope_local_base_freq") if local else config.get("rope_theta", config.get("rotary_emb_base"))
    plain = lambda base: 1.0 / base ** (np.arange(0, size, 2) / size)
    scaling = config.get("rope_scaling")
    if scaling is None or local:
        return plain(base), 1.0
    kind = scaling.get("rope_type") or scaling["type"]
    if kind == "linear":
        return plain(base) / scaling["factor"], 1.0
    if kind == "dynamic":
        most, factor = config["max_position_embeddings"], scaling["factor"]
        return plain(base * (factor * max(tokens, most) / most - (factor - 1)) ** (size / (size - 2))), 1.0
    return yarn(plain(base), base, scaling) if kind == "yarn" else (llama3(plain(base), scaling), 1.0)


def rotate(x, cos, sin):
    size, half = 2 * cos.shape[-1], cos.shape[-1]
    a, b = x[..., :half], x[..., half:size]
    parts = [a * cos - b * sin, b * cos + a * sin]
    return concatenate(parts + [x[..., size:]] if x.shape[-1] > size else parts)


class Model:
    def __init__(self, config, weights):
        self.config, self.w = config, {name: Tensor(w) for name, w in weights.items()}
        self.family = config["model_type"]
        self.neox, self.gemma = self.family == "gpt_neox", self.family.startswith("gemma")
        self.heads = config["num_attention_heads"]
        self.groups = config.get("num_key_value_heads", self.heads)
        self.size = config.get("head_dim") or config["hidden_size"] // self.heads
        self.eps = config.get("rms_norm_eps", config.get("layer_norm_eps"))
        self.act = ACTIVATIONS[config.get("hidden_activation") or config["hidden_act"]]

    def linear(self, x, name):
        y = x @ self.w[name + ".weight"].T
        return y + self.w[name + ".bias"] if name + ".bias" in self.w and self.config.get("_biases", True) else y

    def norm(self, x, name):
        if self.neox:
            x = x - x.mean()
            return x * ((x * x).mean() + self.eps).inverse_root() * self.w[name + ".weight"] + self.w[name + ".bias"]
        weight = self.w[name + ".weight"]
        return x * ((x * x).mean() + self.eps).inverse_root() * (weight + 1 if self.gemma else weight)

    def window(self, layer):
        config, window = self.config, self.config.get("sliding_window")
        if self.family.startswith("qwen"):
            return window if config["use_sliding_window"] and layer >= config["max_window_layers"] else None
        if self.gemma:
            return None if (layer + 1) % config.get("sliding_window_pattern", 2) == 0 else window
        return window

    def split(self, x, heads):
        return x.reshape(*x.shape[:2], heads, -1).transpose(0, 2, 1, 3)

    def queries_keys_values(self, x, p):
        if self.neox:  # every head has its query, key and value side by side
            qkv = self.split(self.linear(x, p + "attention.query_key_value"), self.heads)
            return [qkv[..., i * self.size : (i + 1) * self.size] for i in range(3)]
        queries, keys = self.heads * self.size, self.groups * self.size
        if self.family == "phi3":
            qkv = self.linear(x, p + "self_attn.qkv_proj")
            q, k, v = qkv[..., :queries], qkv[..., queries : queries + keys], qkv[..., queries + keys :]
        else:
            q, k, v = (self.linear(x, f"{p}self_attn.{n}_proj") for n in "qkv")
        has_norms, whole = self.config.get("_head_norms", True), self.family == "olmo2"
        if whole and has_norms:
            q, k = self.norm(q, p + "self_attn.q_norm"), self.norm(k, p + "self_attn.k_norm")
        q, k, v = self.split(q, self.heads), self.split(k, self.groups), self.split(v, self.groups)
        if self.family in ("qwen3", "gemma3_text") and has_norms:
            q, k = self.norm(q, p + "self_attn.q_norm"), self.norm(k, p + "self_attn.k_norm")
        return q, k, v

    def attention(self, x, layer, p):
        q, k, v = self.queries_keys_values(x, p)
        window, tokens = self.window(layer), x.shape[1]
        share = self.config.get("rotary_pct", self.config.get("partial_rotary_factor", 1.0))
        local = window is not None and "rope_local_base_freq" in self.config
        inverse, factor = frequencies(self.config, int(self.size * share), tokens, local)
        angles = np.outer(np.arange(tokens), inverse)
        q, k = (rotate(t, factor * np.cos(angles), factor * np.sin(angles)) for t in (q, k))
        k, v = (t.repeat(self.heads // self.groups, 1) for t in (k, v))
        scale = (self.config.get("query_pre_attn_scalar") or self.size) ** -0.5
        scores = soft_cap(q @ k.transpose(0, 1, 3, 2) * scale, self.config.get("attn_logit_softcapping"))
        query, key = np.arange(tokens)[:, None], np.arange(tokens)[None, :]
        mixed = scores.softmax((key <= query) & (key > query - (window or tokens))) @ v
        mixed = mixed.transpose(0, 2, 1, 3).reshape(*x.shape[:2], -1)
        return self.linear(mixed, p + ("attention.dense" if self.neox else "self_attn.o_proj"))

    def mlp(self, x, p):
        if self.neox:
            return self.linear(self.act(self.linear(x, p + "mlp.dense_h_to_4h")), p + "mlp.dense_4h_to_h")
        if self.family == "phi3":
            both = self.linear(x, p + "mlp.gate_up_proj")
            gate, up = both[..., : both.shape[-1] // 2], both[..., both.shape[-1] // 2 :]
        else:
            gate, up = self.linear(x, p + "mlp.gate_proj"), self.linear(x, p + "mlp.up_proj")
        return self.linear(self.act(gate) * up, p + "mlp.down_proj")

    def layer(self, x, layer):
        p = f"{'gpt_neox' if self.neox else 'model'}.layers.{layer}."
        norm = lambda name, y: self.norm(y, p + name)
        if self.neox and self.config["use_parallel_residual"]:
            return x + self.attention(norm("input_layernorm", x), layer, p) + self.mlp(norm("post_attention_layernorm", x), p)
        if self.family == "olmo2":
            x = x + norm("post_attention_layernorm", self.attention(x, layer, p))
            return x + norm("post_feedforward_layernorm", self.mlp(x, p))
        if self.gemma:
            x = x + norm("post_attention_layernorm", self.attention(norm("input_layernorm", x), layer, p))
            return x + norm("post_feedforward_layernorm", self.mlp(norm("pre_feedforward_layernorm", x), p))
        x = x + self.attention(norm("input_layernorm", x), layer, p)
        return x + self.mlp(norm("post_attention_layernorm", x), p)

    def forward(self, ids):
        """ids: [sequences, tokens]. Returns the logits of all tokens."""
        table = self.w["gpt_neox.embed_in.weight" if self.neox else "model.embed_tokens.weight"]
        x = table.rows(ids)
        if self.gemma and self.config.get("_scaled_embedding", True):
            x = x * float(np.float32(self.config["hidden_size"] ** 0.5))
        for layer in range(self.config["num_hidden_layers"]):
            x = self.layer(x, layer)
        x = self.norm(x, "gpt_neox.final_layer_norm" if self.neox else "model.norm")
        head = table if self.config["tie_word_embeddings"] else self.w["embed_out.weight" if self.neox else "lm_head.weight"]
        return soft_cap(x @ head.T, self.config.get("final_logit_softcapping"))


# The comparisons.

def compare_logits(arguments, config, weights):
    ids = np.fromfile(arguments.inputs, "<i4")
    got = np.fromfile(arguments.results, "<f4").reshape(-1, config["vocab_size"]).astype(np.float64)
    want = Model(config, weights).forward(ids[None]).value[0][-len(got):]
    assert want.std() > 0.1, "logits are too small to tell anything"
    worst = (np.linalg.norm(got - want, axis=1) / np.linalg.norm(want, axis=1)).max()
    print(f"{config['model_type']}: {len(got)} rows of logits, worst relative difference {worst:.2e}")
    return worst


def compare_training(arguments, config, weights):
    tokens = np.fromfile(arguments.inputs, "<i4").astype(np.int64)
    with open(arguments.results, encoding="utf-8") as file:
        steps = [json.loads(line) for line in file]
    first, second = ({n: np.zeros_like(w) for n, w in weights.items()} for _ in range(2))
    per_step = arguments.sequences * arguments.length
    worst, (beta1, beta2), differences = 0.0, (0.9, 0.95), []
    for number, step in enumerate(steps):
        x = tokens[number * per_step : (number + 1) * per_step].reshape(arguments.sequences, arguments.length)
        y = tokens[number * per_step + 1 : (number + 1) * per_step + 1]
        model = Model(config, weights)
        result = model.forward(x).reshape(per_step, -1).cross_entropy(y)
        loss, of_weights = float(result.value), gradients(result, model.w)
        norm = np.sqrt(sum((g * g).sum() for g in of_weights.values()))
        clip = min(1.0, arguments.clip / norm)
        for name, w in weights.items():
            g = of_weights.get(name, np.zeros_like(w)) * clip  # none for a part that was left out
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
