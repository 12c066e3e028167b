#!/usr/bin/python3
"""Compares the logits of the first forward pass and every gradient of the first step with PyTorch's, in float64, from the same exported
weights on the same tokens. The model is that of scripts/compare-pytorch.

    first_step_reference.py COMPARE_PYTORCH HF_MODEL_DIR TOKENS_PREFIX LOGITS HF_GRADIENTS_DIR --sequences N --length L --scale S ...

LOGITS: float32, a row of the vocabulary for each token of the step. HF_GRADIENTS_DIR: an export whose tensors are S times the gradients.
Prints the largest relative difference, in the 2-norm, of a row of logits and of a parameter's gradient. Exit codes: 0 equal within --bound,
1 logits differ, 2 gradients differ, 3 both."""
import argparse
import json
import sys

import torch

from compare_pytorch import load_module


def difference(got, want):
    """Relative, in the 2-norm. An expert that no token chose has a gradient of zeros, which must be exact."""
    assert got.shape == want.shape, (got.shape, want.shape)
    if not want.any() and not got.any():
        return 0.0
    return ((got - want).norm() / want.norm()).item()


def worst_of(kind, differences):
    """Prints and returns the largest difference; NaN counts as larger than any number."""
    name, worst = max(differences.items(), key=lambda one: one[1] if one[1] == one[1] else float("inf"))
    print(f"{len(differences)} {kind}: worst relative difference {worst:.2e} ({name})")
    return worst


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("compare_pytorch", "model", "tokens", "logits", "gradients"):
        parser.add_argument(name)
    compare = load_module(sys.argv[1])
    compare.add_model_arguments(parser)
    parser.add_argument("--scale", type=float, required=True)
    parser.add_argument("--bound", type=float, required=True)
    parser.add_argument("--damage", action="store_true", help="change a matrix of the last layer by a thousandth: both must differ")
    arguments = parser.parse_args()

    config = json.load(open(arguments.model + "/config.json"))
    config["_gate"] = not arguments.no_gate
    weights = {name: w.double().requires_grad_(True)
               for name, w in compare.read_safetensors(arguments.model + "/model.safetensors").items()}
    if arguments.damage:
        weights[max(n for n, w in weights.items() if w.dim() == 2 and "attn" in n)].data *= 1.001
    count = arguments.sequences * arguments.length
    tokens = compare.read_tokens(arguments.tokens)
    x, y = tokens[:count].view(arguments.sequences, arguments.length), tokens[1 : count + 1]
    want, _, whole = compare.forward(weights, config, x, y, arguments)
    whole.backward()
    want = want.detach().reshape(count, -1)
    got = torch.frombuffer(bytearray(open(arguments.logits, "rb").read()), dtype=torch.float32).double().reshape(count, -1)
    assert want.std() > 0.1, "logits are too small to tell anything"
    of_logits = {f"token {i}": difference(got[i], want[i]) for i in range(count)}
    ours = compare.read_safetensors(arguments.gradients + "/model.safetensors")
    assert sorted(ours) == sorted(weights), "parameters have other names"
    unused = [name for name, w in weights.items() if not w.grad.any()]
    assert len(unused) * 4 < len(weights), f"too few gradients to compare: none of {unused}"
    of_gradients = {name: difference(ours[name].double() / arguments.scale, w.grad) for name, w in weights.items()}
    print(f"{len(unused)} of {len(weights)} gradients are zero")
    is_wrong = [not worst_of("rows of logits", of_logits) <= arguments.bound,
                not worst_of("gradients", of_gradients) <= arguments.bound]
    return is_wrong[0] + 2 * is_wrong[1]


if __name__ == "__main__":
    sys.exit(main())
