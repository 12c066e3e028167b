"""The kinds of faults of storage: disks, checkpoints, and copies in memory."""
import json
import re
import shutil
import signal
import time
from pathlib import Path

from job import require
from scenario import Seen, a_while, kind
from tools import disk, fill, flip_bit, hanging, send, shards


def kill_after(job, chance, spoil, number=2):
    """Spoils the newest checkpoint while all ranks are stopped, so that none is newer, and kills one of them."""
    job.start().has_saved(number)
    for pid in job.workers().values():
        send(pid, signal.SIGSTOP)
    spoil(job.checkpoints())
    rank = chance.randrange(job.ranks)
    moment = send(job.worker(rank), signal.SIGKILL)
    job.ends_as_undisturbed()
    return Seen([("dead_process", rank)], [moment])


@kind
def checkpoint_with_a_flipped_bit(job, chance):
    return kill_after(job, chance, lambda found: flip_bit(chance.choice(shards(found[-1])), chance))


@kind
def checkpoint_cut_off(job, chance):
    def spoil(found):
        path = chance.choice(shards(found[-1]))
        with open(path, "r+b") as file:
            file.truncate(chance.randrange(path.stat().st_size))
    return kill_after(job, chance, spoil)


@kind
def checkpoint_without_a_shard(job, chance):
    return kill_after(job, chance, lambda found: chance.choice(shards(found[-1])).unlink())


@kind
def checkpoint_with_shards_exchanged(job, chance):
    def spoil(found):
        one, other = chance.sample(shards(found[-1]), 2)
        kept = one.with_suffix(".kept")
        one.rename(kept)
        other.rename(one)
        kept.rename(other)
    return kill_after(job, chance, spoil)


@kind
def checkpoint_with_an_old_shard(job, chance):
    def spoil(found):
        name = chance.choice(shards(found[-1])).name
        shutil.copyfile(found[-2] / name, found[-1] / name)
    return kill_after(job, chance, spoil)


@kind
def checkpoint_with_half_a_manifest(job, chance):
    def spoil(found):
        path = found[-1] / "manifest.json"
        with open(path, "r+b") as file:
            file.truncate(chance.randrange(path.stat().st_size))
    return kill_after(job, chance, spoil)


@kind
def killed_while_saving(job, chance):
    """All ranks end in the middle of a checkpoint, somewhere between its first byte and its commit."""
    job.settings.append("checkpoint.interval=2")
    job.start().has_saved()
    folder = job.run / "checkpoints"
    job.until(lambda: any(not path.name[-8:].isdigit() for path in folder.iterdir()), "no checkpoint is being written", pause=0)
    time.sleep(chance.uniform(0, 0.004))
    for pid in job.workers().values():
        moment = send(pid, signal.SIGKILL)
    job.ends_as_undisturbed()
    return Seen([("dead_process", None)], [moment])


@kind
def disk_full(job, chance):
    """Training goes on without checkpoints, the last good one stays, and a rank that is lost meanwhile costs no more than that."""
    with disk(job.space.directory / f"{job.name}.img", job.run / "checkpoints", 64) as where:
        job.start().has_saved()
        filler = fill(where)
        a_while(chance, 1)
        rank = chance.randrange(job.ranks)
        moment = send(job.worker(rank), signal.SIGKILL)
        job.trains(2)
        a_while(chance, 1)
        filler.unlink()
        job.ends_as_undisturbed()
    return Seen([("dead_process", rank)], [moment])


@kind
def disk_hangs(job, chance):
    """Steps go on while the storage of checkpoints does not answer."""
    with disk(job.space.directory / f"{job.name}.img", job.run / "checkpoints", 64) as where:
        job.start().has_saved()
        with hanging(where):
            before = job.run.joinpath("metrics.jsonl").stat().st_size
            job.until(lambda: job.run.joinpath("metrics.jsonl").stat().st_size > before + 10_000, "steps wait for the disk")
        job.ends_as_undisturbed()
    require(job.attempts() == 1, "the ranks were started again")
    return Seen()


@kind
def disk_hangs_and_rank_killed(job, chance):
    with disk(job.space.directory / f"{job.name}.img", job.run / "checkpoints", 64) as where:
        job.start().has_saved()
        rank = chance.randrange(job.ranks)
        with hanging(where):
            a_while(chance, 1)
            moment = send(job.worker(rank), signal.SIGKILL)
            a_while(chance, 2)
        job.ends_as_undisturbed()
    return Seen([("dead_process", rank)], [moment])


@kind
def copy_in_memory_with_a_flipped_bit(job, chance):
    """Another copy or the disk takes its place."""
    job.settings += ["checkpoint.memory_interval=5", "checkpoint.interval=50"]
    job.prefix = ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs -o size=1g copies /dev/shm && exec "$@"', "sh"]
    job.start().has_saved()
    a_while(chance)
    workers = job.workers()
    for pid in workers.values():
        send(pid, signal.SIGSTOP)
    shm = f"/proc/{workers[0]}/root/dev/shm"
    found = sorted(path for path in Path(shm).glob("megascale-copies-*/step-????????") if path.joinpath("manifest.json").exists())
    require(found, "no copy in memory")
    flip_bit(chance.choice(shards(found[-1])), chance)
    rank = chance.randrange(job.ranks)
    moment = send(workers[rank], signal.SIGKILL)
    job.ends_as_undisturbed()
    return Seen([("dead_process", rank)], [moment])


@kind
def killed_with_a_copy_of_each_step(job, chance):
    """At most one step is lost: the newest copy is that of the last step that was done, or of the one before."""
    job.settings += ["checkpoint.memory_interval=1", "checkpoint.interval=150"]
    job.start().trains()
    metrics = job.run / "metrics.jsonl"
    job.until(lambda: metrics.exists() and metrics.read_text().count("\n") > 5, "no step is done")
    a_while(chance)
    for pid in job.workers().values():
        send(pid, signal.SIGSTOP)
    done = json.loads(metrics.read_text().splitlines()[-1])["step"]
    rank = chance.randrange(job.ranks)
    moment = send(job.worker(rank), signal.SIGKILL)
    job.ends_as_undisturbed()
    found = re.findall(r"resuming from /dev/shm/\S+ at step (\d+)", job.text())
    require(found, "it was not resumed from memory")
    require(int(found[-1]) >= done - 1, f"step {done} was done, and it was resumed at step {found[-1]}")
    return Seen([("dead_process", rank)], [moment])


@kind
def shared_memory_full(job, chance):
    """Copies in memory cannot be written; the job trains and recovers by the disk."""
    job.settings += ["checkpoint.memory_interval=5"]
    job.prefix = ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs -o size=256m copies /dev/shm && exec "$@"', "sh"]
    job.start().has_saved()
    filler = fill(Path(f"/proc/{job.executor()}/root/dev/shm"))
    a_while(chance, 0.5)
    rank = chance.randrange(job.ranks)
    moment = send(job.worker(rank), signal.SIGKILL)
    a_while(chance, 0.05)
    filler.unlink()
    job.ends_as_undisturbed()
    return Seen([("dead_process", rank)], [moment])


@kind
def corrupt_checkpoint_and_driver_killed(job, chance):
    def spoil(found):
        flip_bit(chance.choice(shards(found[-1])), chance)
        send(job.driver(), signal.SIGKILL)
    return kill_after(job, chance, spoil)


@kind
def all_checkpoints_corrupt(job, chance):
    """Nothing is left to resume from: the job ends, says why, and touches nothing. Without them the same command begins anew."""
    job.start().has_saved()
    for pid in job.workers().values():
        send(pid, signal.SIGSTOP)
    found = job.checkpoints()
    for checkpoint in found:
        flip_bit(chance.choice(shards(checkpoint)), chance)
    moment = send(job.worker(0), signal.SIGKILL)
    code = job.finish()
    require(code == 3, f"exit code {code}, expected 3")
    require("expected a good checkpoint" in job.text(), "the reason is not said")
    require(job.checkpoints() == found, "checkpoints were taken away")
    incidents = len(job.incidents())
    for checkpoint in found:
        checkpoint.rename(job.space.directory / f"{job.name}-{checkpoint.name}")
    job.start().ends_as_undisturbed()
    return Seen([("dead_process", 0)] + [("dead_process", None)] * (incidents - 1), [moment])
