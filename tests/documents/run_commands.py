#!/usr/bin/env python3
"""Runs the commands of the documents as a reader would: page by page, in the order of the pages, in a fresh clone.

    tests/documents/run_commands.py                  all pages; the first command of README builds the binary
    tests/documents/run_commands.py --only PAGE ...  some pages, after the quickstart
    tests/documents/run_commands.py --keep DIR       works in DIR and keeps it

The clone holds what the working tree holds, committed or not. pages.py says what is a command and how a comment above a block
changes its treatment. Exit code 1 and the page and line if a command fails. Needs the packages of scripts/install-dependencies."""
import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pages

ROOT = Path(__file__).resolve().parent.parent.parent
PAGES = ("README.md", "docs/start-here.md", "docs/your-first-day.md", "docs/train-your-model.md", "docs/blend.md", "docs/fine-tune.md",
         "docs/evaluate.md", "docs/tokenizers.md", "docs/cluster.md", "docs/diagnose.md", "docs/huggingface.md", "docs/install.md",
         "docs/from-python.md")
SECONDS_PER_PAGE = 1800


def clone(target):
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(target)], check=True)
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True,
                            capture_output=True).stdout
    present = b"\0".join(name for name in listed.split(b"\0") if name and (ROOT / os.fsdecode(name)).exists())
    packed = subprocess.run(["tar", "--create", "--null", "--files-from=-"], cwd=ROOT, input=present, check=True, capture_output=True)
    subprocess.run(["tar", "--extract"], cwd=target, input=packed.stdout, check=True)


def run(page, directory):
    """Runs the commands of a page; prints the end of their output and returns False if one fails."""
    begin = time.monotonic()
    program = pages.script(page, (directory / page).read_text())
    path = f"{directory}/build/release:{os.environ['PATH']}"
    try:
        done = subprocess.run(["bash", "-c", program], cwd=directory, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace", timeout=SECONDS_PER_PAGE, env={**os.environ, "PATH": path})
        output, good = done.stdout, done.returncode == 0
    except subprocess.TimeoutExpired as late:
        output, good = (late.stdout or b"").decode(errors="replace") + f"\nnot done after {SECONDS_PER_PAGE} s", False
    if not good:
        print(output[-6000:])
    commands = output.count(f"--- {page}:")
    print(f"{page}: {'passed' if good else 'FAILED'}, {commands} commands in {time.monotonic() - begin:.0f} s", flush=True)
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", metavar="PAGE", choices=PAGES)
    parser.add_argument("--keep", type=Path, metavar="DIR")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        directory = arguments.keep or Path(scratch) / "megascale"
        if not (directory / ".git").exists():
            clone(directory)
        chosen = [page for page in PAGES if not arguments.only or page in arguments.only]
        if "README.md" not in chosen:
            subprocess.run(["scripts/quickstart"], cwd=directory, check=True, stdout=subprocess.DEVNULL)
        good = [run(page, directory) for page in chosen]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
