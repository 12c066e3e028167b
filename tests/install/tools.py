"""What the tests of the installation share."""
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def build_folder():
    """The build folder, which the test gets as its first argument; unittest does not see it."""
    return Path(sys.argv.pop(1)).resolve()


def run(*words, cwd=None, environment=None, expected=0):
    """Runs a command and returns its output, stdout and stderr together. Its exit code must be the expected one."""
    done = subprocess.run([str(word) for word in words], cwd=cwd, env={**os.environ, **(environment or {})}, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace")
    if done.returncode != expected:
        raise AssertionError(f"{' '.join(map(str, words))}: exit code {done.returncode}\n{done.stdout[-6000:]}")
    return done.stdout


def write_text(path):
    """Writes some text to train on."""
    path.write_text("".join(f"the ship sails to island {i % 97} with {i % 13} sails\n" for i in range(1500)))


def small_job(program, folder):
    """Prepares a text in a folder, and writes a configuration of a few steps of a tiny model. Returns its path."""
    write_text(folder / "text.txt")
    run(program, "prepare", "text.txt", "--tokenizer", "byte", "--output", "corpus", cwd=folder)
    text = subprocess.run([str(program), "config", "--template", "gpt2"], check=True, capture_output=True, text=True).stdout
    for key, value in {"num_layers": 1, "hidden_size": 32, "num_attention_heads": 2, "seq_length": 32, "train_iters": 4,
                       "micro_batch_size": 2, "global_batch_size": 4, "eval_interval": 0, "lr_warmup_iters": 1}.items():
        text = "".join(f"{key} = {value}\n" if line.startswith((f"{key} = ", f"#{key} = ")) else line for line in text.splitlines(True))
    (folder / "my.toml").write_text(text)
    return folder / "my.toml"
