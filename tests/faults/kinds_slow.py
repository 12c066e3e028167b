"""Slow ranks: two ranks, so that each has a core of its own. A rank that computes longer is named, and nobody in a clean run."""
import signal

from job import require
from scenario import Seen, kind
from tools import faulty_products, send

PAIR = ["control.slow_share=0.07", "control.heartbeat_seconds=0.5", "parallel.tensor_model_parallel_size=1", "parallel.zero_stage=0",
        "kernels.matrix_unit=false", "model.hidden_size=256", "model.num_layers=4", "model.seq_length=256", "train.micro_batch_size=4",
        "train.global_batch_size=8", "train.train_iters=100000", "checkpoint.interval=100000"]
# A verdict needs 13 of 16 steps, which take over 5 s: with steps of 0.5 s that is less than 20 steps and 10 s.
LONG_STEPS = ["train.global_batch_size=24"]
CLEAN_STEPS, MOST_STEPS = 40, 20
SLOWER = 10  # percent that products take longer; they are nearly all of the computation


def steps_done(job):
    try:
        return len((job.run / "metrics.jsonl").read_text().splitlines())
    except FileNotFoundError:
        return 0


def stop(job):
    send(job.process.pid, signal.SIGTERM)
    require((code := job.finish()) == 0, f"exit code {code}")


def has_done(job, steps):
    job.until(lambda: steps_done(job) >= steps, f"{steps} steps are not done", seconds=180)


@kind
def rank_ten_percent_slower(job, chance):
    job.ranks = 2
    job.settings += PAIR + LONG_STEPS
    rank = chance.randrange(job.ranks)
    begin = faulty_products(job, "slow", rank, SLOWER)
    has_done(job.start().trains(), CLEAN_STEPS)
    require(not job.incidents(), f"somebody was named before: {job.incidents()}")
    begin.touch()
    first, moment = steps_done(job), send(job.process.pid, 0)
    found = job.until(job.incidents, "the slow rank is not named", seconds=120)[0]
    stop(job)
    require(found["step"] - first <= MOST_STEPS, f"it was named after {found['step'] - first} steps")
    return Seen([("slow_rank", rank)], [moment])


@kind
def no_rank_slower(job, chance):
    job.ranks = 2
    job.settings += PAIR
    has_done(job.start().trains(), 3 * CLEAN_STEPS)
    stop(job)
    return Seen()
