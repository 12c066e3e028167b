"""What the scripts of this folder share: runs of base.toml with other keys, each resumable, and a table and a picture of them."""
import dataclasses
import json
import os
import re
import statistics
import subprocess
import sys
from pathlib import Path

from draw import draw_curves

ROOT = Path(__file__).resolve().parents[2]
BASE = Path(__file__).with_name("base.toml")
FOLDER = ROOT / "runs/convergence"
MEGASCALE = os.environ.get("MEGASCALE", str(ROOT / "build/release/megascale"))
STEPS, BATCH, SEQUENCE = 1536, 8, 256  # as in base.toml
SEEDS = (1, 2, 3)


@dataclasses.dataclass
class Way:
    name: str
    keys: dict  # beside those of adamw()
    ranks: int = 1


def adamw(seed, steps=STEPS, rate="6e-3", scale=1):
    """Keys of a run of `steps` batches B, which are taken `scale` at a time."""
    steps //= scale
    return {"optimizer.name": "adamw", "optimizer.lr": rate, "optimizer.min_lr": f"{float(rate) / 10:g}",
            "optimizer.lr_warmup_iters": steps // 20, "train.train_iters": steps, "train.global_batch_size": BATCH * scale,
            "train.eval_interval": steps // 6, "train.eval_iters": 96 // scale, "train.log_interval": steps // 6,
            "train.seed": seed, "data.seed": seed}


def lines_of(run):
    file = FOLDER / run / "metrics.jsonl"
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def train(run, keys, ranks=1):
    lines = lines_of(run)
    if lines and lines[-1]["step"] == keys["train.train_iters"]:
        return
    keys = {**keys, "data.data_path": FOLDER / "corpus", "train.run_dir": FOLDER / run}
    command = [MEGASCALE, "train", str(BASE), "--ranks", str(ranks)]
    for key, value in keys.items():
        command += ["--set", f"{key}={value}"]
    print(run, flush=True)
    subprocess.run(command, check=True)


def corpus():
    FOLDER.mkdir(parents=True, exist_ok=True)
    if (FOLDER / "corpus.idx").exists():
        return
    verses = subprocess.run(["bible", "-f", "gen1:1-rev22:21"], capture_output=True, text=True, check=True).stdout
    (FOLDER / "text.txt").write_text(re.sub(r"(?m)^[0-9]?[A-Za-z]+[0-9]+:[0-9]+ ", "", verses))
    subprocess.run([MEGASCALE, "prepare", str(FOLDER / "text.txt"), "--tokenizer", "byte", "--output", str(FOLDER / "corpus")],
                   check=True)


def train_all(ways, seeds=SEEDS):
    for seed in seeds:
        for way, of in ways.items():
            train(f"{way}-{seed}", adamw(seed) | of.keys, of.ranks)


def smoothed(lines, points=64):
    """Training loss by tokens: means of equal runs of steps."""
    each = len(lines) // points
    groups = [lines[i * each:(i + 1) * each] for i in range(points)]
    return [(group[-1]["consumed_tokens"], statistics.fmean(line["loss"] for line in group)) for group in groups]


def report(ways, picture, more=None):
    """Prints final validation losses, and `more` of the lines of a run as a last column. Draws the curves to docs/`picture`."""
    curves = []
    last = f" {more[0]} |" if more else ""
    print("| | " + " | ".join(f"seed {seed}" for seed in SEEDS) + f" | mean |{last}\n|---|" + "---|" * (len(SEEDS) + 1 + bool(more)))
    for way, of in ways.items():
        lines = [lines_of(f"{way}-{seed}") for seed in SEEDS]
        finals = [of_seed[-1]["validation_loss"] for of_seed in lines]
        curves += [{"name": of.name, "way": way, "train": smoothed(of_seed), "validation": [
            (line["consumed_tokens"], line["validation_loss"]) for line in of_seed if "validation_loss" in line]} for of_seed in lines]
        row = f"| {of.name} | " + " | ".join(f"{loss:.4f}" for loss in finals) + f" | **{statistics.fmean(finals):.4f}** |"
        print(row + (f" {more[1](lines)} |" if more else ""))
    (ROOT / "docs" / picture).write_text(draw_curves(curves))


def main(usage, steps):
    if len(sys.argv) != 2 or sys.argv[1] not in steps:
        sys.exit(usage)
    steps[sys.argv[1]]()
