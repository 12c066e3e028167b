#!/usr/bin/python3
"""Trains a model by direct preference optimisation in PyTorch, from the same exported weights on the same pairs as megascale, and compares
losses and margins step by step. The model is that of scripts/compare-pytorch; data, reference and loss are written here.

    preference_reference.py COMPARE_PYTORCH HF_MODEL_DIR PAIRS_PREFIX METRICS_JSONL --pairs N --length L --beta B [--label-smoothing S]

--pairs: of a step, in the order of the file (data.shuffle = false). Exit codes: 0 equal within --bound, 1 not."""
import argparse
import json
import struct
import sys

import torch
import torch.nn.functional as F

from compare_pytorch import load_module


def read_answers(prefix, tokens, length):
    """(inputs, targets) of every document: targets that do not count are -100, and so is the padding."""
    index = open(prefix + ".idx", "rb").read()
    (count,) = struct.unpack_from("<q", index, 18)
    lengths = struct.unpack_from(f"<{count}i", index, 34)
    mask = torch.frombuffer(bytearray(open(prefix + ".loss_mask", "rb").read()), dtype=torch.uint8)
    answers, at = [], 0
    for size in lengths:
        ids, counts = tokens[at : at + size][: length + 1], mask[at : at + size][: length + 1]
        at += size
        inputs, targets = torch.zeros(length, dtype=torch.int64), torch.full((length,), -100)
        inputs[: len(ids) - 1] = ids[:-1]
        targets[: len(ids) - 1] = torch.where(counts[1:] == 1, ids[1:], torch.tensor(-100))
        answers.append((inputs, targets))
    return answers


def log_probabilities(model, answers):
    """Of each answer, the sum over its counted tokens."""
    logits = model(torch.stack([inputs for inputs, _ in answers]))
    targets = torch.stack([targets for _, targets in answers])
    losses = F.cross_entropy(logits.transpose(1, 2), targets, ignore_index=-100, reduction="none")
    return -losses.sum(-1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("compare_pytorch", "model", "pairs_prefix", "metrics"):
        parser.add_argument(name)
    parser.add_argument("--pairs", type=int, required=True)
    parser.add_argument("--length", type=int, required=True)
    parser.add_argument("--beta", type=float, required=True)
    parser.add_argument("--label-smoothing", type=float, default=0.0)
    parser.add_argument("--bound", type=float, default=1e-4)
    arguments = parser.parse_args()

    compare = load_module(arguments.compare_pytorch)
    config = json.load(open(arguments.model + "/config.json"))
    weights = compare.read_safetensors(arguments.model + "/model.safetensors")
    architecture = compare.gpt2 if config["model_type"] == "gpt2" else compare.llama
    model = lambda x: architecture(weights, config, x)
    answers = read_answers(arguments.pairs_prefix, compare.read_tokens(arguments.pairs_prefix), arguments.length)
    with torch.no_grad():
        reference = torch.cat([log_probabilities(model, answers[i : i + 16]) for i in range(0, len(answers), 16)])
    for tensor in weights.values():
        tensor.requires_grad_(True)
    groups = [{"params": [t for t in weights.values() if (t.dim() >= 2) == decays], "weight_decay": 0.1 * decays}
              for decays in (True, False)]
    optimizer = torch.optim.AdamW(groups, lr=0.0, betas=(0.9, 0.95), eps=1e-8)
    ours = [json.loads(line) for line in open(arguments.metrics)]
    worst = 0.0
    for step, our in enumerate(ours):
        rows = [row % len(answers) for row in range(2 * step * arguments.pairs, 2 * (step + 1) * arguments.pairs)]
        rewards = arguments.beta * (log_probabilities(model, [answers[row] for row in rows]) - reference[rows])
        margins = rewards[0::2] - rewards[1::2]
        smoothing = arguments.label_smoothing
        loss = (-(1 - smoothing) * F.logsigmoid(margins) - smoothing * F.logsigmoid(-margins)).mean()
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(weights.values(), 1.0)
        for group in optimizer.param_groups:
            group["lr"] = our["lr"]
        optimizer.step()
        margin, accuracy = margins.mean().item(), (margins > 0).float().mean().item()
        # A margin of 0, as in the first step, has no relative difference.
        differences = [abs(loss.item() - our["loss"]) / abs(loss.item()),
                       abs(margin - our["rewards/margins"]) / max(abs(margin), 1e-2)]
        if step > 0 and accuracy != our["rewards/accuracies"]:
            differences.append(1.0)
        for difference in differences:
            if not difference <= worst:  # NaN counts as worst
                worst = difference
        print(f"step {step + 1}: loss {loss.item():.7f} {our['loss']:.7f} margin {margin:.6f} {our['rewards/margins']:.6f} "
              f"accuracy {accuracy:.3f} {our['rewards/accuracies']:.3f}")
    print(f"worst relative difference of {len(ours)} steps: {worst:.2e} (bound {arguments.bound:.0e})")
    return 0 if worst <= arguments.bound else 1


if __name__ == "__main__":
    sys.exit(main())
