#!/usr/bin/python3
"""The families of models in numpy, in float64, with the gradients of tape.py. Knows nothing of the C++ code.

    reference.py make FAMILY DIR [VOCABULARY]   writes a small model with random weights as Hugging Face lays it out
    reference.py logits DIR IDS LOGITS          compares logits (float32, one row for each of the last tokens) after the int32 IDS
    reference.py train DIR TOKENS METRICS       trains on the int32 TOKENS and compares the losses of METRICS, a JSONL file

--with KEY=JSON changes a key of config.json before the comparison, which must then fail. Keys of the reference alone:
_biases, _choice_bias, _groups, _head_norms, _interleaved, _latent_norms, _scaled_embedding, _shared_experts. Exit codes: 0 equal within --bound, 1 not."""
import argparse
import json
import os
import struct
import sys

import numpy as np

from family_configs import EXPERT_WIDTH, FAMILIES, GROUPS, HEADS, INNER, LAYERS, VOCABULARY, WIDTH
from tape import Tensor, concatenate, gradients


# A model directory, made and read.

NORMS_OF_HEADS = ("qwen3", "qwen3_moe", "gemma3_text", "dots1", "glm4_moe")
NORMS_OF_ALL_HEADS = ("olmo2", "olmo3", "olmoe")


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
    if family in ("olmo2", "olmo3"):
        return ["post_attention", "post_feedforward"]
    gemma = ["pre_feedforward", "post_feedforward"] if family.startswith("gemma") else []
    return ["input", "post_attention"] + gemma


def has_experts(config, layer):
    family = config["model_type"]
    if "mlp_only_layers" in config:
        return (layer + 1) % config["decoder_sparse_step"] == 0 and layer not in config["mlp_only_layers"]
    return family in ("mixtral", "olmoe") or (
        "n_routed_experts" in config and layer >= config["first_k_dense_replace"] and layer % config.get("moe_layer_freq", 1) == 0)


def number_of_experts(config):
    return config.get("num_local_experts") or config.get("num_experts") or config["n_routed_experts"]


def chooses_by_bias(config):
    return config["model_type"] in ("dots1", "glm4_moe", "deepseek_v3")


def swiglu_shapes(width):
    return {"gate_proj": [width, WIDTH], "up_proj": [width, WIDTH], "down_proj": [WIDTH, width]}


def shapes_of_experts(config):
    """Of one layer, by the names behind the layer's."""
    family, experts = config["model_type"], number_of_experts(config)
    p = "block_sparse_moe." if family == "mixtral" else "mlp."
    shapes = {p + "gate.weight": [experts, WIDTH]}
    for name, shape in swiglu_shapes(config.get("moe_intermediate_size", INNER)).items():
        name = {"gate_proj": "w1", "down_proj": "w2", "up_proj": "w3"}[name] if family == "mixtral" else name
        shapes.update({f"{p}experts.{e}.{name}.weight": shape for e in range(experts)})
    shared = {"mlp.shared_expert": config.get("shared_expert_intermediate_size", 0),
              "mlp.shared_experts": config.get("n_shared_experts", 0) * EXPERT_WIDTH}
    for prefix, width in shared.items():
        shapes.update({f"{prefix}.{name}.weight": shape for name, shape in swiglu_shapes(width).items() if width > 0})
    if family == "qwen2_moe":
        shapes["mlp.shared_expert_gate.weight"] = [1, WIDTH]
    if chooses_by_bias(config):
        shapes["mlp.gate.e_score_correction_bias"] = [experts]
    return shapes


def latent_shapes(config):
    """Of the linears of latent attention and its two norms."""
    of_query, of_key, rope = config["q_lora_rank"], config["kv_lora_rank"], config["qk_rope_head_dim"]
    queries = HEADS * (config["qk_nope_head_dim"] + rope)
    shapes = {"q_proj": [queries, WIDTH]} if of_query is None else \
        {"q_a_proj": [of_query, WIDTH], "q_a_layernorm": [of_query], "q_b_proj": [queries, of_query]}
    shapes.update({"kv_a_proj_with_mqa": [of_key + rope, WIDTH], "kv_a_layernorm": [of_key],
                   "kv_b_proj": [HEADS * (config["qk_nope_head_dim"] + config["v_head_dim"]), of_key],
                   "o_proj": [WIDTH, HEADS * config["v_head_dim"]]})
    return {"self_attn." + name: shape for name, shape in shapes.items()}


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
    if "kv_lora_rank" in config:
        linears = {**latent_shapes(config), **{name: shape for name, shape in linears.items() if name.startswith("mlp.")}}
    for i in range(LAYERS):
        p = f"model.layers.{i}."
        for norm in norms_of_layer(family):
            shapes[f"{p}{norm}_layernorm.weight"] = [WIDTH]
        for name, shape in linears.items():
            if name.startswith("mlp.") and has_experts(config, i):
                continue
            shapes[f"{p}{name}.weight"] = shape
            if family in ("qwen2", "qwen2_moe", "glm4_moe") and name[-6:] in ("q_proj", "k_proj", "v_proj"):
                shapes[f"{p}{name}.bias"] = shape[:1]
        if has_experts(config, i):
            shapes.update({p + name: shape for name, shape in shapes_of_experts(config).items()})
        if family in NORMS_OF_HEADS + NORMS_OF_ALL_HEADS:
            shapes[p + "self_attn.q_norm.weight"] = [queries if family in NORMS_OF_ALL_HEADS else size]
            shapes[p + "self_attn.k_norm.weight"] = [keys if family in NORMS_OF_ALL_HEADS else size]
    if not config["tie_word_embeddings"]:
        shapes["lm_head.weight"] = [config["vocab_size"], WIDTH]
    return shapes


def random_weights(config):
    # From some weights a training is chaotic: rounding errors grow beyond 1e-5. With these seeds none is.
    random = np.random.default_rng({"mixtral": 8}.get(config["model_type"], len(config["model_type"])))
    weights = {}
    for name, shape in shapes_of(config).items():
        values = random.standard_normal(shape) * (0.15 if len(shape) == 2 else 0.3)
        if name.endswith("norm.weight") and not config["model_type"].startswith("gemma"):
            values += 1
        if "q_proj" in name or "k_proj" in name or "q_b_proj" in name:
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
        rounded = bfloat16 and not name.endswith("e_score_correction_bias")
        if rounded:
            raw = (weights[name].view("<u4") >> 16).astype("<u2").tobytes()
        dtype = "BOOL" if weights[name].dtype == bool else "BF16" if rounded else "F32"
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
    frequencies_of_all = inverse * (1 - divided) + inverse / factor * divided
    if scaling.get("mscale") and scaling.get("mscale_all_dim"):
        return frequencies_of_all, growth(scaling, "mscale") / growth(scaling, "mscale_all_dim")
    return frequencies_of_all, scaling.get("attention_factor", 0.1 * np.log(factor) + 1)


def growth(scaling, key):
    """DeepSeek's multiple of YaRN's attention factor."""
    return 0.1 * scaling[key] * np.log(scaling["factor"]) + 1


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
    base = config.get("rope_theta", config.get("rotary_emb_base"))
    if local:  # in OLMo 3 the base of all layers, which is not scaled
        base = config.get("rope_local_base_freq", base)
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
    if kind == "longrope":
        original = config["original_max_position_embeddings"]
        divisors = scaling["long_factor" if tokens > original else "short_factor"]
        return plain(base) / divisors, np.sqrt(1 + np.log(config["max_position_embeddings"] / original) / np.log(original))
    return yarn(plain(base), base, scaling) if kind == "yarn" else (llama3(plain(base), scaling), 1.0)


def rotate(x, cos, sin):
    size, half = 2 * cos.shape[-1], cos.shape[-1]
    a, b = x[..., :half], x[..., half:size]
    parts = [a * cos - b * sin, b * cos + a * sin]
    return concatenate(parts + [x[..., size:]] if x.shape[-1] > size else parts)


def rotate_pairs(x, cos, sin):
    """Rotates channel 2 i with channel 2 i + 1. Returns all of the former before all of the latter: only products count."""
    a, b = x[..., 0::2], x[..., 1::2]
    return concatenate([a * cos - b * sin, b * cos + a * sin])


class Model:
    def __init__(self, config, weights):
        self.config, self.w = config, {name: Tensor(w) for name, w in weights.items()}
        self.loads = {}  # how many tokens have chosen each expert, by the name of a layer's bias of choices
        self.family = config["model_type"]
        self.neox, self.gemma = self.family == "gpt_neox", self.family.startswith("gemma")
        self.heads = config["num_attention_heads"]
        self.groups = config.get("num_key_value_heads", self.heads)
        self.latent = "kv_lora_rank" in config
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
        if self.family.startswith("qwen") or self.family == "dots1":
            return window if config.get("use_sliding_window", True) and layer >= config["max_window_layers"] else None
        if self.family == "olmo3":
            return window if config["layer_types"][layer] == "sliding_attention" else None
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
        has_norms, whole = self.config.get("_head_norms", True), self.family in NORMS_OF_ALL_HEADS
        if whole and has_norms:
            q, k = self.norm(q, p + "self_attn.q_norm"), self.norm(k, p + "self_attn.k_norm")
        q, k, v = self.split(q, self.heads), self.split(k, self.groups), self.split(v, self.groups)
        if self.family in NORMS_OF_HEADS and has_norms:
            q, k = self.norm(q, p + "self_attn.q_norm"), self.norm(k, p + "self_attn.k_norm")
        return q, k, v

    def latent_attention(self, x, p):
        """arXiv 2405.04434, section 2.1; the factor of scores is that of DeepSeek's own program."""
        config, tokens = self.config, x.shape[1]
        plain, rope, of_key = config["qk_nope_head_dim"], config["qk_rope_head_dim"], config["kv_lora_rank"]
        norm = self.norm if config.get("_latent_norms", True) else lambda x, name: x
        inverse, factor = frequencies(config, rope, tokens, False)
        angles = np.outer(np.arange(tokens), inverse)
        rotated = lambda t: (rotate_pairs if config.get("_interleaved", True) else rotate)(t, factor * np.cos(angles), factor * np.sin(angles))
        if config["q_lora_rank"] is None:
            q = self.linear(x, p + "q_proj")
        else:
            q = self.linear(norm(self.linear(x, p + "q_a_proj"), p + "q_a_layernorm"), p + "q_b_proj")
        q = self.split(q, self.heads)
        q = concatenate([q[..., :plain], rotated(q[..., plain:])])
        both = self.linear(x, p + "kv_a_proj_with_mqa")
        of_heads = self.split(self.linear(norm(both[..., :of_key], p + "kv_a_layernorm"), p + "kv_b_proj"), self.heads)
        of_all = rotated(self.split(both[..., of_key:], 1)).repeat(self.heads, 1)
        k, v = concatenate([of_heads[..., :plain], of_all]), of_heads[..., plain:]
        scaling = config.get("rope_scaling") or {}
        scale = (plain + rope) ** -0.5 * (growth(scaling, "mscale_all_dim") ** 2 if scaling.get("mscale_all_dim") else 1)
        mixed = (q @ k.transpose(0, 1, 3, 2) * scale).softmax(np.tri(tokens, dtype=bool)) @ v
        return self.linear(mixed.transpose(0, 2, 1, 3).reshape(*x.shape[:2], -1), p + "o_proj")

    def attention(self, x, layer, p):
        if self.latent:
            return self.latent_attention(x, p + "self_attn.")
        q, k, v = self.queries_keys_values(x, p)
        window, tokens = self.window(layer), x.shape[1]
        share = self.config.get("rotary_pct", self.config.get("partial_rotary_factor", 1.0))
        local = window is not None and (self.family == "olmo3" or "rope_local_base_freq" in self.config)
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

    def swiglu(self, x, p, names=("gate_proj", "up_proj", "down_proj")):
        gate, up, down = (p + name for name in names)
        return self.linear(self.act(self.linear(x, gate)) * self.linear(x, up), down)

    def weights_of_experts(self, logits, p):
        """logits: [..., experts]. Returns the factors of the experts' outputs, which are 0 for those that are not chosen."""
        config = self.config
        scores = logits.sigmoid() if chooses_by_bias(config) else logits.softmax(np.ones(logits.shape, bool))
        chosen_by = scores.value
        if chooses_by_bias(config) and config.get("_choice_bias", True):
            chosen_by = chosen_by + self.w[p + "e_score_correction_bias"].value
        groups = config.get("n_group", 1) if config.get("_groups", True) and config.get("topk_method") != "greedy" else 1
        if groups > 1:  # experts outside of the best groups count as chosen by nobody
            of_groups = chosen_by.reshape(*chosen_by.shape[:-1], groups, -1)
            best = np.sort(of_groups)[..., -(1 if self.family == "deepseek_v2" else 2) :].sum(-1)
            allowed = best >= np.sort(best)[..., -config["topk_group"], None]
            chosen_by = np.where(allowed[..., None], of_groups, -np.inf).reshape(chosen_by.shape)
        least = np.sort(chosen_by)[..., -config["num_experts_per_tok"], None]
        chosen = (chosen_by >= least).astype(np.float64)
        self.loads[p + "e_score_correction_bias"] = chosen.reshape(-1, chosen.shape[-1]).sum(0)
        scores = scores * chosen
        if config.get("norm_topk_prob", True):
            scores = scores * (scores.mean() * scores.shape[-1]).inverse()
        return scores * config.get("routed_scaling_factor", 1.0)

    def experts(self, x, p):
        mixtral = self.family == "mixtral"
        p += "block_sparse_moe." if mixtral else "mlp."
        factors = self.weights_of_experts(self.linear(x, p + "gate"), p + "gate.")
        sum_of_all = x * 0.0
        for e in range(number_of_experts(self.config)):
            names = ("w1", "w3", "w2") if mixtral else ("gate_proj", "up_proj", "down_proj")
            sum_of_all = sum_of_all + self.swiglu(x, f"{p}experts.{e}.", names) * factors[..., e : e + 1]
        if not self.config.get("_shared_experts", True):
            return sum_of_all
        if self.family == "qwen2_moe":
            gate = self.linear(x, p + "shared_expert_gate").sigmoid()
            return sum_of_all + self.swiglu(x, p + "shared_expert.") * gate
        return sum_of_all + self.swiglu(x, p + "shared_experts.") if "n_shared_experts" in self.config else sum_of_all

    def mlp(self, x, layer, p):
        if has_experts(self.config, layer):
            return self.experts(x, p)
        if self.neox:
            return self.linear(self.act(self.linear(x, p + "mlp.dense_h_to_4h")), p + "mlp.dense_4h_to_h")
        if self.family != "phi3":
            return self.swiglu(x, p + "mlp.")
        both = self.linear(x, p + "mlp.gate_up_proj")
        gate, up = both[..., : both.shape[-1] // 2], both[..., both.shape[-1] // 2 :]
        return self.linear(self.act(gate) * up, p + "mlp.down_proj")

    def layer(self, x, layer):
        p = f"{'gpt_neox' if self.neox else 'model'}.layers.{layer}."
        norm = lambda name, y: self.norm(y, p + name)
        if self.neox and self.config["use_parallel_residual"]:
            return x + self.attention(norm("input_layernorm", x), layer, p) + self.mlp(norm("post_attention_layernorm", x), layer, p)
        if self.family in ("olmo2", "olmo3"):
            x = x + norm("post_attention_layernorm", self.attention(x, layer, p))
            return x + norm("post_feedforward_layernorm", self.mlp(x, layer, p))
        if self.gemma:
            x = x + norm("post_attention_layernorm", self.attention(norm("input_layernorm", x), layer, p))
            return x + norm("post_feedforward_layernorm", self.mlp(norm("pre_feedforward_layernorm", x), layer, p))
        x = x + self.attention(norm("input_layernorm", x), layer, p)
        return x + self.mlp(norm("post_attention_layernorm", x), layer, p)

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
            if name in model.loads:
                w -= 1e-3 * np.sign(model.loads[name] - model.loads[name].mean())
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
