"""A small job under `train --robust` that faults are injected into, and what can be seen of it from outside."""
import json
import os
import signal
import sqlite3
import subprocess
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MEGASCALE = os.environ.get("MEGASCALE", str(ROOT / "build/release/megascale"))

# Steps take milliseconds, so that a scenario takes seconds. No load of the machine makes a rank that runs count as frozen.
CONFIG = """
[model]
num_layers = 2
hidden_size = 32
num_attention_heads = 4
seq_length = 32
vocab_size = 256
{model}
[data]
data_path = "{corpus}"
tokenizer = "byte"
[train]
train_iters = {steps}
micro_batch_size = 2
global_batch_size = 8
threads_per_rank = 1
eval_interval = 0
log_interval = 1000000
[optimizer]
lr = {lr}
[parallel]
tensor_model_parallel_size = 2
zero_stage = 2
{layout}
[checkpoint]
interval = 20
keep_last = 3
[control]
heartbeat_seconds = 0.2
frozen_seconds = 1.0
frozen_multiple = 100000
backoff_seconds = 0.05
restarts_per_hour = 100
"""
# With experts, two ranks share them, and their biases are part of the state.
EXPERTS = {"model": """type = "mixtral"
ffn_hidden_size = 48
[moe]
num_experts = 4
aux_loss_coeff = 0.02
router_enable_expert_bias = true""", "layout": "expert_model_parallel_size = 2\nexpert_tensor_parallel_size = 1",
           "lr": 2e-4}  # with a larger one norms jump, which the rules would tell
MODELS = {"dense": {"model": 'type = "gpt2"', "layout": "", "lr": 1e-3}, "experts": EXPERTS}
TIMED = {"expert_imbalance_share", "step_seconds", "tokens_per_second", "mfu", "mfu_megatron", "hfu", "exposed_comm_seconds", "bubble_seconds", "data_wait_seconds",
         "checkpoint_stall_seconds", "memory_bytes"}


class Failed(Exception):
    """A scenario did not go as stated."""


def require(holds, what):
    if not holds:
        raise Failed(what)


class Space:
    """A directory with a corpus, a configuration, and the run that no fault disturbed."""

    def __init__(self, directory, chance, steps, model="dense"):
        self.directory, self.steps = directory, steps
        directory.mkdir(parents=True)
        (directory / "text.txt").write_text("".join(chance.choice("the quick brown fox\n") for _ in range(50_000)))
        subprocess.run([MEGASCALE, "prepare", directory / "text.txt", "--tokenizer", "byte", "--output", directory / "corpus"],
                       check=True, capture_output=True)
        (directory / "job.toml").write_text(CONFIG.format(corpus=directory / "corpus", steps=steps, **MODELS[model]))
        self.reference = {}

    def undisturbed(self, settings, steps, ranks=4):
        """The result of the same job without a fault. Settings of [control] and of the places of files change nothing."""
        changes = [word for word in settings if not word.startswith(("control.", "checkpoint.", "data."))]
        key = (ranks, *changes)
        if key not in self.reference:
            job = Job(self, f"undisturbed-{len(self.reference)}", settings=changes, ranks=ranks)
            job.steps = steps
            require(job.start().finish(300) == 0, f"the undisturbed run failed:\n{job.text()}")
            self.reference[key] = job.result()
        return self.reference[key]


class Job:
    def __init__(self, space, name, settings=(), prefix=(), environment=None, ranks=4):
        self.space, self.name, self.settings, self.prefix, self.ranks = space, name, list(settings), list(prefix), ranks
        self.steps = space.steps
        self.run = space.directory / name
        self.environment = {**os.environ, **(environment or {})}
        self.log = space.directory / f"{name}.log"
        self.process = None

    def command(self):
        words = [MEGASCALE, "train", str(self.space.directory / "job.toml"), "--robust", "--ranks", str(self.ranks)]
        for setting in [f"train.run_dir={self.run}", *self.settings]:
            words += ["--set", setting]
        return self.prefix + words

    def start(self, **options):
        with open(self.log, "a", encoding="utf-8") as log:
            self.process = subprocess.Popen(self.command(), **{"stdout": log, "stderr": log, "env": self.environment, **options})
        return self

    def finish(self, seconds=600):
        """The exit code. A job that does not end is a failure of the scenario."""
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired as error:
            raise Failed(f"the job does not end in {seconds} s") from error

    def end_by_force(self):
        for pid in [*self.workers().values(), self.driver(), self.executor()]:
            if pid is not None:
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
        if self.process is not None:
            self.process.kill()
            self.process.wait()

    # ---- processes

    def processes(self):
        """(pid, command line) of all processes that name the run directory."""
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    words = entry.joinpath("cmdline").read_bytes().decode(errors="replace").split("\0")
                except OSError:
                    continue
                if f"train.run_dir={self.run}" in words or str(self.run) in words:
                    yield int(entry.name), words

    def workers(self):
        """Processes of ranks, by rank."""
        found = {}
        for pid, words in self.processes():
            if "driver" in words[:2]:
                continue
            try:
                variables = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
            except OSError:
                continue
            for variable in variables:
                if variable.startswith(b"RANK="):
                    found[int(variable[5:])] = pid
        return found

    def worker(self, rank):
        return self.until(lambda: self.workers().get(rank), f"rank {rank} has no process")

    def driver(self):
        return next((pid for pid, words in self.processes() if "driver" in words[:2]), None)

    def executor(self):
        ranks = set(self.workers().values())
        return next((pid for pid, words in self.processes() if "--robust" in words and pid not in ranks and words[0] != "unshare"), None)

    # ---- what is known of the job

    def query(self, sql):
        record = self.run / "control/job.sqlite"
        if not record.exists():
            return []
        try:
            with sqlite3.connect(f"file:{record}?mode=ro", uri=True, timeout=10) as database:
                return database.execute(sql).fetchall()
        except sqlite3.OperationalError as error:
            if "no such table" in str(error):
                return []
            raise

    def events(self, kind, attempt):
        return self.query(f"SELECT time_ns FROM events WHERE kind = '{kind}' AND epoch = {attempt}")

    def until(self, holds, what, seconds=90, pause=0.01):
        end = time.monotonic() + seconds
        while True:
            value = holds()
            if value:
                return value
            require(self.process.poll() is None, f"{what}; the job has ended with {self.process.returncode}")
            require(time.monotonic() < end, f"{what} in {seconds} s")
            time.sleep(pause)

    def trains(self, attempt=1):
        self.until(lambda: self.events("attempt_training", attempt), f"attempt {attempt} does not train")
        return self

    def driver_returns(self, moment):
        """Seconds from `moment`, when a driver died, until the next one has recorded a checkpoint that was written after it began: it lives,
        and executors report to it."""
        def news():
            return self.query(f"""SELECT min(time_ns) FROM events WHERE kind = 'checkpoint_committed' AND time_ns >
                (SELECT min(time_ns) FROM events WHERE kind = 'driver_started' AND time_ns > {moment})""")[0][0]
        return (self.until(news, "no driver comes back") - moment) * 1e-9

    def checkpoints(self):
        """Committed checkpoints, the oldest first."""
        return sorted(path for path in self.run.joinpath("checkpoints").glob("step-????????") if path.joinpath("manifest.json").exists())

    def has_saved(self, number=1):
        """Waits until the attempt trains and has committed so many checkpoints."""
        self.trains()
        self.until(lambda: len(self.checkpoints()) >= number, "no checkpoint")
        return self

    def incidents(self):
        names = ["number", "rule", "rank", "host", "step", "opened_ns", "closed_ns", "outcome", "what", "evidence"]
        return [dict(zip(names, row)) for row in self.query(f"SELECT {', '.join(names)} FROM incidents ORDER BY number")]

    def attempts(self):
        return self.query("SELECT max(epoch) FROM events")[0][0]

    def text(self):
        return self.log.read_text(errors="replace") if self.log.exists() else ""

    def result(self, steps=None):
        """What must be equal after every recovery: the losses of all steps, and the final state."""
        history = [{name: value for name, value in json.loads(line).items() if name not in TIMED}
                   for line in (self.run / "metrics.jsonl").read_text().splitlines()]
        manifest = json.loads((self.run / f"checkpoints/step-{steps or self.steps:08}/manifest.json").read_text())
        digests = {piece["name"]: piece["digest"] for shard in manifest["shards"] for piece in shard["pieces"]}
        return history, digests

    # ---- what must hold afterwards

    def ends_as_undisturbed(self, exit_code=0):
        found = self.finish()
        require(found == exit_code, f"exit code {found}, expected {exit_code}")
        history, digests = self.result()
        wanted_history, wanted_digests = self.space.undisturbed(self.settings, self.steps)
        require(len(history) == self.steps, f"{len(history)} of {self.steps} steps in the metrics")
        different = [got for got, want in zip(history, wanted_history) if got != want]
        require(not different, f"{len(different)} steps differ, first {different[:1]}")
        require(digests == wanted_digests, "the final state differs from that of the undisturbed run")

    def keeps_its_invariants(self):
        done = subprocess.run([MEGASCALE, "status", self.run, "--check", "--json"], capture_output=True, text=True, check=False)
        require(done.returncode == 0, f"status --check: {done.stdout}{done.stderr}")
        seconds = json.loads(done.stdout.splitlines()[-1])["seconds"]
        parts = sum(value for name, value in seconds.items() if name != "wall")
        require(abs(parts - seconds["wall"]) <= 1e-3 * seconds["wall"], f"the ledger does not add up: {seconds}")

    def leaves_nothing(self):
        end = time.monotonic() + 10
        while (left := list(self.processes())) and time.monotonic() < end:
            time.sleep(0.05)
        require(not left, f"processes are left: {left}")
