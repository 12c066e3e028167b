#!/usr/bin/python3
"""Evaluation tasks in numpy, in float64, over bytes as tokens. Knows the rules of lm-evaluation-harness and nothing of the C++ code; the
model is that of tests/families/reference.py.

    reference.py MODEL RESULTS TASK...    compares RESULTS (megascale evaluate --output) of the JSONL files TASK

--examples FILE puts the first line of FILE, a continuation, before every context, --limit N takes the first documents only, and --with KEY=JSON changes a key
of config.json before the comparison. Exit codes: 0 equal within --bound, 1 not."""
import argparse
import importlib.util
import json
import math
import os
import re
import sys

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
FAMILIES = os.path.join(HERE, "..", "families")
sys.path.append(FAMILIES)  # its own modules
SPEC = importlib.util.spec_from_file_location("families", os.path.join(FAMILIES, "reference.py"))
families = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(families)

PREFIX = 0  # byte 0 ends a document


class Scorer:
    def __init__(self, config, weights):
        self.model, self.length = families.Model(config, weights), config["max_position_embeddings"]

    def score(self, context, continuation):
        """Log-likelihood of the continuation, and whether all its tokens are the most likely ones."""
        inputs = (context + continuation)[-(self.length + 1):][:-1]
        logits = self.model.forward(np.array([inputs])).value[0][-len(continuation):]
        logits = logits - logits.max(-1, keepdims=True)
        log_probabilities = logits - np.log(np.exp(logits).sum(-1, keepdims=True))
        targets = np.array(continuation)
        return log_probabilities[np.arange(len(targets)), targets].sum(), bool((logits.argmax(-1) == targets).all())

    def pair(self, context, continuation):
        spaces = len(context) - len(context.rstrip())
        if spaces > 0:
            continuation, context = context[-spaces:] + continuation, context[:-spaces]
        whole, begin = list((context + continuation).encode()), list(context.encode())
        return self.score(begin or [PREFIX], whole[len(begin):])

    def rolling(self, text):
        tokens, total, done = list(text.encode()), 0.0, 0
        while done < len(tokens):
            count = min(self.length, len(tokens) - done)
            end = done + count
            before = ([PREFIX] + tokens[:done])[-(self.length - count + 1):]
            total += self.score(before, tokens[done:end])[0]
            done = end
        return total


def mean_and_error(values):
    values = np.array(values, float)
    return values.mean(), values.std(ddof=1) / math.sqrt(len(values)) if len(values) > 1 else None


def metrics_of(scorer, documents, before):
    if "text" in documents[0]:
        total = sum(scorer.rolling(document["text"]) for document in documents)
        words = sum(len(re.split(r"\s+", document["text"])) for document in documents)
        size = sum(len(document["text"].encode()) for document in documents)
        return {"word_perplexity": (math.exp(-total / words), None), "byte_perplexity": (math.exp(-total / size), None),
                "bits_per_byte": (-total / size / math.log(2), None)}
    if "continuation" in documents[0]:
        scores = [scorer.pair(before + document["context"], document["continuation"]) for document in documents]
        mean, error = mean_and_error([score for score, _ in scores])
        return {"acc": mean_and_error([greedy for _, greedy in scores]),
                "perplexity": (math.exp(-mean), error and error * math.exp(-mean))}
    hits, normed = [], []
    for document in documents:
        choices, gold = document["choices"], document.get("answer", document.get("gold"))
        gold = choices.index(gold) if isinstance(gold, str) else gold
        context = before + document.get("context", document.get("query"))
        scores = np.array([scorer.pair(context, " " + choice)[0] for choice in choices])
        hits.append(scores.argmax() == gold)
        normed.append((scores / np.array([len(choice.encode()) for choice in choices])).argmax() == gold)
    return {"acc": mean_and_error(hits), "acc_norm": mean_and_error(normed)}


def read_documents(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("results")
    parser.add_argument("tasks", nargs="+")
    parser.add_argument("--examples")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--bound", type=float, default=1e-5)
    parser.add_argument("--with", dest="changes", action="append", default=[])
    arguments = parser.parse_args()
    config, weights = families.read_model(arguments.model)
    config.update({key: json.loads(value) for key, value in (change.split("=", 1) for change in arguments.changes)})
    with open(arguments.results, encoding="utf-8") as file:
        results = json.load(file)["results"]
    before = ""
    if arguments.examples:
        example = read_documents(arguments.examples)[0]
        before = example["context"] + example["continuation"] + "\n\n"
    worst = 0.0
    for path in arguments.tasks:
        name = os.path.splitext(os.path.basename(path))[0]
        for metric, (value, error) in metrics_of(Scorer(config, weights), read_documents(path)[: arguments.limit], before).items():
            for key, want in ((f"{metric},none", value), (f"{metric}_stderr,none", error)):
                got = results[name][key]
                if want is None or got == "N/A":
                    assert want is None and got == "N/A", (name, key, got, want)
                    continue
                difference = abs(got - want) / max(abs(want), 1e-9)
                print(f"{name} {key}: {got:.6f}, reference {want:.6f}, difference {difference:.1e}")
                worst = worst if difference <= worst else difference  # NaN counts as worst
    return 0 if worst <= arguments.bound else 1


if __name__ == "__main__":
    sys.exit(main())
