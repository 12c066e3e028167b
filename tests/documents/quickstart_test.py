#!/usr/bin/env python3
"""Runs scripts/quickstart --experts as a user does, with fewer steps: quickstart_test.py BINARY.

The script works in a folder that holds a copy of it and of its configuration. Two programs that it calls are stand-ins: the
installation of packages does nothing, and cmake notes its arguments. The binary is that of this build. Text, training,
checkpoints and generation are real. Skips (exit code 77) without the program `bible`, which has the text."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
BINARY = Path(sys.argv.pop(1)).resolve() if len(sys.argv) > 1 else None
STEPS = 30
# By key: the value in configs/quickstart-moe.toml and the one that the test trains with.
SHORTER = {"train_iters": (500, STEPS), "eval_interval": (100, 10), "eval_iters": (50, 4), "log_interval": (20, 10),
           "lr_warmup_iters": (50, 10), "interval": (250, 15)}
PROGRESS = re.compile(r"^step (\d+)/(\d+) \| loss ([\d.]+) \| .* tokens/s \| mfu [\d.]+ %.*$", re.M)


def write_program(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


class QuickstartTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        for folder in ("scripts", "configs", "build/release"):
            (self.folder / folder).mkdir(parents=True)
        shutil.copy(ROOT / "scripts/quickstart", self.folder / "scripts")
        write_program(self.folder / "scripts/install-dependencies", "#!/bin/sh\n")
        write_program(self.folder / "bin/cmake", f'#!/bin/sh\necho "$@" >> "{self.folder}/cmake.log"\n')
        (self.folder / "build/release/megascale").symlink_to(BINARY)
        config = (ROOT / "configs/quickstart-moe.toml").read_text()
        for key, (long, short) in SHORTER.items():
            config, found = re.subn(rf"^{key} = {long}\b", f"{key} = {short}", config, flags=re.M)
            self.assertEqual(found, 1, f"configs/quickstart-moe.toml: expected one line '{key} = {long}'")
        (self.folder / "configs/quickstart-moe.toml").write_text(config)

    def quickstart(self, *words):
        path = f"{self.folder}/bin:{os.environ['PATH']}"
        return subprocess.run([self.folder / "scripts/quickstart", *words], cwd="/", stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, errors="replace", env={**os.environ, "PATH": path})

    def sample_of(self, done):
        """Returns the text behind the headline of the sample, and the counts of the line below it."""
        found = re.search(r"^--- 1,000 tokens by the model \(temperature 0\.8\)\n(.*)\n"
                          r"--- (\d+) of its (\d+) words \((\d+) %\) occur in the training text\n"
                          r"--- more: build/release/megascale generate --checkpoint runs/quickstart-moe/checkpoints --prompt", done.stdout,
                          re.M | re.S)
        self.assertIsNotNone(found, done.stdout[-3000:])
        return found[1], *map(int, found.groups()[1:])

    # Goal: from text to a trained mixture of experts that writes text, and the same command resumes.
    def test_trains_a_mixture_of_experts_and_writes_text(self):
        done = self.quickstart("--experts")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("--build --preset release --target megascale", (self.folder / "cmake.log").read_text())

        progress = [(int(step), int(steps), float(loss)) for step, steps, loss in PROGRESS.findall(done.stderr)]
        self.assertEqual([(step, steps) for step, steps, _ in progress], [(10, STEPS), (20, STEPS), (30, STEPS)], done.stderr)
        losses = [loss for _, _, loss in progress]
        self.assertTrue(losses[0] > losses[1] > losses[2], losses)
        self.assertLess(losses[2], 2.7)  # nats: equally likely bytes have 5.5, the frequencies of English bytes about 3
        validation = [float(loss) for loss in re.findall(r"\| validation loss ([\d.]+) \(perplexity", done.stderr)]
        self.assertEqual(len(validation), 3, done.stderr)
        self.assertTrue(validation[0] > validation[1] > validation[2], validation)

        run = self.folder / "runs/quickstart-moe"
        self.assertEqual([one.name for one in (self.folder / "runs").iterdir()], ["quickstart-moe"])
        lines = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
        self.assertEqual([line["step"] for line in lines], list(range(1, STEPS + 1)))
        for line in lines:  # 4 layers of 8 experts; 16 samples of 256 tokens choose 2 of them
            loads = line["routing"]["loads"]
            self.assertEqual([(len(layer), sum(layer)) for layer in loads], [(8, 2 * 16 * 256)] * 4)

        text, known, words, percent = self.sample_of(done)
        self.assertTrue(text.startswith("And the "), text)
        self.assertEqual((run / "sample.txt").read_text(errors="replace").strip(), text.strip())
        self.assertGreaterEqual(len(text), 900)
        self.assertGreater(words, 100)
        self.assertGreater(known, 0)
        self.assertEqual(percent, 100 * known // words)

        again = self.quickstart("--experts")
        self.assertEqual(again.returncode, 0, again.stdout + again.stderr)
        self.assertEqual(PROGRESS.findall(again.stderr), [], "the run had its steps already")
        self.assertEqual(self.sample_of(again)[0], text)

    def test_refuses_wrong_words_before_it_does_anything(self):
        for words in (["--expert"], ["--experts", "8"], ["--experts", "--tokenizer", "bpe"], ["--tokenizer", "--experts"], ["--tokenizer"]):
            with self.subTest(words=words):
                done = self.quickstart(*words)
                self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
                self.assertEqual(done.stderr, "scripts/quickstart: expected --tokenizer byte, --tokenizer bpe or --experts, "
                                 f"found: {' '.join(words)}\n")
                self.assertEqual(done.stdout, "")
                self.assertFalse((self.folder / "cmake.log").exists())
                self.assertFalse((self.folder / "runs").exists())


if __name__ == "__main__":
    if not shutil.which("bible"):
        print("no program 'bible': scripts/install-dependencies --quickstart installs it")
        sys.exit(77)
    unittest.main()
