"""Injectors: each brings one fault about, with means of the system only. All need root or a process of the same user."""
import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from job import ROOT

CGROUPS = Path("/sys/fs/cgroup")
FAULTY_PRODUCT = os.environ.get("MEGASCALE_FAULTY_PRODUCT", str(ROOT / "build/release/tests/faults/libfaulty_product.so"))


def send(pid, number):
    os.kill(pid, number)
    return time.monotonic_ns()


def flip_bit(path, chance):
    """One bit somewhere in the second half of a file: behind the header."""
    size = path.stat().st_size
    with open(path, "r+b") as file:
        position = chance.randrange(size // 2, size)
        file.seek(position)
        byte = file.read(1)[0]
        file.seek(position)
        file.write(bytes([byte ^ 1 << chance.randrange(8)]))


def shards(checkpoint):
    return sorted(path for path in checkpoint.iterdir() if path.suffix == ".safetensors")


@contextlib.contextmanager
def cgroup(controller, name, **values):
    """A control group of version 1, taken away at the end."""
    group = CGROUPS / controller / f"megascale-{name}-{os.getpid()}"
    group.mkdir()
    try:
        for key, value in values.items():
            group.joinpath(f"{controller}.{key}").write_text(str(value))
        yield group
    finally:
        with contextlib.suppress(OSError):
            group.joinpath("freezer.state").write_text("THAWED")
        for _ in range(100):
            for pid in group.joinpath("tasks").read_text().split():
                with contextlib.suppress(OSError):
                    CGROUPS.joinpath(controller, "tasks").write_text(pid)
            try:
                group.rmdir()
                break
            except OSError:
                time.sleep(0.05)


@contextlib.contextmanager
def mounted(where, *words):
    where.mkdir(parents=True, exist_ok=True)
    subprocess.run(["mount", *map(str, words), str(where)], check=True)
    try:
        yield where
    finally:
        for _ in range(100):
            if subprocess.run(["umount", str(where)], capture_output=True, check=False).returncode == 0:
                break
            time.sleep(0.05)


@contextlib.contextmanager
def disk(image, where, megabytes):
    """A file system of its own, which can be filled or made to hang."""
    with open(image, "wb") as file:
        file.truncate(megabytes << 20)
    subprocess.run(["mkfs.ext4", "-q", "-F", "-m", "0", str(image)], check=True)
    with mounted(where, "-o", "loop", image):
        yield where


def fill(where, keep=0):
    """Fills a file system up to `keep` bytes; returns the file that takes the room."""
    filler = where / "filler"
    room = os.statvfs(where)
    with open(filler, "wb") as file:
        with contextlib.suppress(OSError):
            os.posix_fallocate(file.fileno(), 0, max(1, room.f_bavail * room.f_frsize - keep))
    return filler


@contextlib.contextmanager
def hanging(where):
    """Writes to this file system wait."""
    subprocess.run(["fsfreeze", "--freeze", str(where)], check=True)
    try:
        yield
    finally:
        subprocess.run(["fsfreeze", "--unfreeze", str(where)], check=False)


@contextlib.contextmanager
def load(processes):
    """Other programs that want the processor."""
    started = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(processes)]
    try:
        yield
    finally:
        for process in started:
            process.send_signal(signal.SIGKILL)
            process.wait()


def clock_file(directory, seconds):
    """Sets the file that libfaketime reads: the wall clock of the processes that use it is off by so much."""
    path = directory / "clock"
    new = path.with_suffix(".new")
    new.write_text(f"{seconds:+d}")
    new.rename(path)
    return {"LD_PRELOAD": "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1", "FAKETIME_TIMESTAMP_FILE": str(path),
            "FAKETIME_NO_CACHE": "1", "FAKETIME_DONT_FAKE_MONOTONIC": "1", "DONT_FAKE_MONOTONIC": "1"}


def faulty_products(job, kind, rank, amount=0):
    """Lets the matrix products of a rank misbehave (faulty_product.cpp) from the moment in which the file that it returns exists."""
    begin = job.space.directory / f"{job.name}.begin"
    begin.unlink(missing_ok=True)
    job.environment.update({"LD_PRELOAD": FAULTY_PRODUCT, "MEGASCALE_FAULT": f"{kind} {rank} {begin} {amount}"})
    return begin
