"""The kinds of faults of processes, drivers, clocks, load, output and input: how each is injected, and what must follow from it."""
import contextlib
import shutil
import signal
import subprocess
import sys
import time

from job import require
from scenario import Seen, a_while, kind
from tools import cgroup, clock_file, faulty_products, load, send


# ---- processes of ranks

def one_signal(job, chance, number, rule="dead_process"):
    job.start().has_saved()
    a_while(chance)
    rank = chance.randrange(job.ranks)
    moment = send(job.worker(rank), number)
    job.ends_as_undisturbed()
    return Seen([(rule, rank)], [moment])


@kind
def rank_killed(job, chance):
    return one_signal(job, chance, signal.SIGKILL)


@kind
def rank_segfault(job, chance):
    return one_signal(job, chance, signal.SIGSEGV)


@kind
def rank_aborts(job, chance):
    return one_signal(job, chance, signal.SIGABRT)


@kind
def rank_stopped(job, chance):
    return one_signal(job, chance, signal.SIGSTOP, "frozen_process")


@kind
def rank_hangs(job, chance):
    """The thread that runs the steps never goes on, in the middle of any task; the process looks healthy."""
    job.settings.append("control.frozen_multiple=50")
    with cgroup("freezer", job.name) as group:
        job.start().has_saved()
        a_while(chance)
        rank = chance.randrange(job.ranks)
        group.joinpath("tasks").write_text(str(job.worker(rank)))
        moment = time.monotonic_ns()
        group.joinpath("freezer.state").write_text("FROZEN")
        job.until(job.incidents, "the hang is not seen")
        group.joinpath("freezer.state").write_text("THAWED")
        job.ends_as_undisturbed()
    return Seen([("frozen_process", rank)], [moment])


def hangs_in_a_product(job, chance, how):
    job.settings.append("control.frozen_multiple=50")
    rank = chance.randrange(job.ranks)
    begin = faulty_products(job, how, rank)
    job.start().has_saved()
    a_while(chance)
    begin.touch()
    moment = time.monotonic_ns()
    job.until(job.incidents, "the hang is not seen")
    begin.unlink()
    job.ends_as_undisturbed()
    return Seen([("frozen_process", rank)], [moment])


@kind
def rank_spins_in_a_product(job, chance):
    return hangs_in_a_product(job, chance, "spin")


@kind
def rank_sleeps_in_a_product(job, chance):
    return hangs_in_a_product(job, chance, "sleep")


@kind
def nan_in_a_product(job, chance):
    """Once, so the replay of the step has another result: the machine is in doubt, not the data."""
    rank = chance.randrange(job.ranks)
    begin = faulty_products(job, "nan", rank)
    job.start().has_saved()
    a_while(chance)
    begin.touch()
    moment = time.monotonic_ns()
    job.ends_as_undisturbed()
    return Seen([("bad_loss", None)], [moment])


@kind
def bit_flipped_on_the_wire(job, chance):
    job.settings.append("parallel.wire_checksums=true")
    begin = faulty_products(job, "wire_flip", chance.randrange(job.ranks), chance.randrange(1 << 12))
    job.start().has_saved()
    a_while(chance)
    begin.touch()
    moment = time.monotonic_ns()
    job.ends_as_undisturbed()
    return Seen([("wire_damage", None)], [moment])


@kind
def bit_flipped_in_a_product(job, chance):
    """Of a mantissa: neither loss nor norm jumps, and all ranks add the same wrong gradient."""
    job.settings.append("train.repeat_interval=1")
    rank = chance.randrange(job.ranks)
    begin = faulty_products(job, "flip", rank, chance.randrange(20))
    job.start().has_saved()
    a_while(chance)
    begin.touch()
    moment = time.monotonic_ns()
    job.ends_as_undisturbed()
    return Seen([("two_results", rank)], [moment])


@kind
def rank_killed_before_training(job, chance):
    job.start()
    rank = chance.randrange(job.ranks)
    pid = job.worker(rank)
    a_while(chance, 0.05)
    moment = send(pid, signal.SIGKILL)
    job.ends_as_undisturbed()
    return Seen([("dead_process", rank)], [moment])


@kind
def rank_killed_during_recovery(job, chance):
    job.start().has_saved()
    ranks = [chance.randrange(job.ranks) for _ in range(2)]
    first = job.workers()
    moments = [send(first[ranks[0]], signal.SIGKILL)]
    again = job.until(lambda: (now := job.workers().get(ranks[1])) not in (None, first[ranks[1]]) and now, "no second attempt")
    a_while(chance, 0.1)
    moments.append(send(again, signal.SIGKILL))
    job.ends_as_undisturbed()
    return Seen([("dead_process", rank) for rank in ranks], moments)


@kind
def all_ranks_killed(job, chance):
    job.start().has_saved()
    a_while(chance)
    for pid in job.workers().values():
        moment = send(pid, signal.SIGKILL)
    job.ends_as_undisturbed()
    return Seen([("dead_process", None)], [moment])


@kind
def two_ranks_killed_one_after_the_other(job, chance):
    job.start().has_saved()
    moments = []
    ranks = chance.sample(range(job.ranks), 2)
    for attempt, rank in enumerate(ranks, 1):
        job.trains(attempt)
        a_while(chance)
        moments.append(send(job.worker(rank), signal.SIGKILL))
    job.ends_as_undisturbed()
    return Seen([("dead_process", rank) for rank in ranks], moments)


@kind
def rank_out_of_memory(job, chance):
    """A neighbour in the memory group of the job eats it up; the kernel chooses the rank."""
    with cgroup("memory", "oom", limit_in_bytes=1 << 30) as group:
        job.start().has_saved()
        rank = chance.randrange(job.ranks)
        victim = job.worker(rank)
        for pid in [job.executor(), *job.workers().values()]:
            group.joinpath("cgroup.procs").write_text(str(pid))
        with open(f"/proc/{victim}/oom_score_adj", "w", encoding="utf-8") as file:
            file.write("1000")
        eater = subprocess.Popen([sys.executable, "-c", f"""
import sys
open('{group}/cgroup.procs', 'w').write('0')
open('/proc/self/oom_score_adj', 'w').write('-1000')
held = []
while 'oom_kill 0' in open('{group}/memory.oom_control').read():  # a killed process may take a while to end
    held.append(bytearray(8 << 20))
"""], stderr=subprocess.DEVNULL)
        moment = time.monotonic_ns()
        try:
            job.until(lambda: job.incidents(), "the kernel has killed no rank")
        finally:
            eater.kill()
            eater.wait()
        job.ends_as_undisturbed()
    return Seen([("dead_process", rank)], [moment])


# ---- driver and executor

def driver_killed_at(job, chance, event):
    """A rank is killed, and the driver when the job has come to `event` of the recovery."""
    job.start().has_saved()
    rank = chance.randrange(job.ranks)
    driver = job.driver()
    moment = send(job.worker(rank), signal.SIGKILL)
    kind_of, attempt = event
    job.until(lambda: job.events(kind_of, attempt), f"no event {kind_of}", pause=0.001)
    send(driver, signal.SIGKILL)
    job.ends_as_undisturbed()
    return Seen([("dead_process", rank)], [moment])


@kind
def driver_killed_while_training(job, chance):
    job.steps *= 4  # each driver must see a checkpoint
    job.settings.append(f"train.train_iters={job.steps}")
    job.start().has_saved()
    back = []
    for _ in range(3):
        back.append(job.driver_returns(send(job.driver(), signal.SIGKILL)))
        a_while(chance)
    job.ends_as_undisturbed()
    require(job.attempts() == 1, "the ranks were started again")
    return Seen(back=back)


@kind
def driver_killed_while_starting(job, chance):
    job.start()
    job.until(lambda: job.events("attempt_started", 1), "no attempt")
    send(job.driver(), signal.SIGKILL)
    job.ends_as_undisturbed()
    require(job.attempts() == 1, "the ranks were started again")
    return Seen()


@kind
def driver_killed_while_stopping(job, chance):
    return driver_killed_at(job, chance, ("incident_opened", 1))


@kind
def driver_killed_while_waiting(job, chance):
    return driver_killed_at(job, chance, ("attempt_ended", 1))


@kind
def driver_killed_while_restarting(job, chance):
    return driver_killed_at(job, chance, ("attempt_started", 2))


@kind
def driver_killed_at_the_end(job, chance):
    job.start().has_saved()
    last = f"step-{job.steps:08}"
    job.until(lambda: any(last in path.name for path in job.run.joinpath("checkpoints").iterdir()), "no last checkpoint", pause=0.001)
    with contextlib.suppress(ProcessLookupError, TypeError):
        send(job.driver(), signal.SIGKILL)
    job.ends_as_undisturbed()
    return Seen()


@kind
def driver_stopped(job, chance):
    job.steps *= 4
    job.settings += [f"train.train_iters={job.steps}", "control.lease_seconds=1"]
    job.start().has_saved()
    back = job.driver_returns(send(job.driver(), signal.SIGSTOP))
    job.ends_as_undisturbed()
    require(job.attempts() == 1, "the ranks were started again")
    return Seen(back=[back])


@kind
def rank_and_driver_killed(job, chance):
    job.start().has_saved()
    rank = chance.randrange(job.ranks)
    pids = [job.driver(), job.worker(rank)]
    chance.shuffle(pids)
    for pid in pids:
        moment = send(pid, signal.SIGKILL)
    job.ends_as_undisturbed()
    return Seen([("dead_process", rank)], [moment])


@kind
def rank_stopped_and_driver_killed(job, chance):
    job.start().has_saved()
    rank = chance.randrange(job.ranks)
    moment = send(job.worker(rank), signal.SIGSTOP)
    a_while(chance, 1)
    with contextlib.suppress(ProcessLookupError, TypeError):
        send(job.driver(), signal.SIGKILL)
    job.ends_as_undisturbed()
    return Seen([("frozen_process", rank)], [moment])


@kind
def executor_killed(job, chance):
    """Everything ends with it; the same command goes on."""
    job.start().has_saved()
    a_while(chance)
    send(job.executor(), signal.SIGKILL)
    job.finish(30)
    job.leaves_nothing()
    job.start().ends_as_undisturbed()
    return Seen()


@kind
def executor_stopped_for_a_moment(job, chance):
    job.start().has_saved()
    executor = job.executor()
    send(executor, signal.SIGSTOP)
    time.sleep(chance.uniform(0.5, 2))
    send(executor, signal.SIGCONT)
    job.ends_as_undisturbed()
    require(job.attempts() == 1, "the ranks were started again")
    return Seen()


@kind
def executor_stopped(job, chance):
    """For longer than the lease: it is found, the attempt is given up, and the executor obeys when it comes back."""
    job.settings.append("control.lease_seconds=6")
    job.start().has_saved()
    executor = job.executor()
    moment = send(executor, signal.SIGSTOP)
    job.until(lambda: job.incidents(), "no incident")
    a_while(chance, 3)
    send(executor, signal.SIGCONT)
    job.ends_as_undisturbed()
    return Seen([("missing_heartbeat", None)], [moment])


@kind
def second_executor(job, chance):
    job.steps *= 10  # the second start must find the first one at work
    job.settings += [f"train.train_iters={job.steps}", "checkpoint.interval=100"]
    job.start().has_saved()
    a_while(chance)
    other = subprocess.run(job.command(), capture_output=True, text=True, timeout=60, check=False)
    require(other.returncode == 1 and "in use by" in other.stderr, f"the second start was not refused: {other}")
    job.ends_as_undisturbed()
    require(job.attempts() == 1, "the ranks were started again")
    return Seen()


# ---- clocks, load, output, input

@kind
def clock_jumps(job, chance):
    job.environment.update(clock_file(job.space.directory, 0))
    job.start().has_saved()
    for _ in range(3):
        clock_file(job.space.directory, chance.choice([-1, 1]) * chance.randrange(60, 3600))
        a_while(chance, 0.5)
    job.ends_as_undisturbed()
    require(job.attempts() == 1, "the ranks were started again")
    return Seen()


@kind
def clock_jumps_and_rank_killed(job, chance):
    job.environment.update(clock_file(job.space.directory, 0))
    job.start().has_saved()
    clock_file(job.space.directory, chance.choice([-1, 1]) * chance.randrange(60, 3600))
    rank = chance.randrange(job.ranks)
    moment = send(job.worker(rank), signal.SIGKILL)
    job.ends_as_undisturbed()
    return Seen([("dead_process", rank)], [moment])


@kind
def clean_under_load(job, chance):
    job.settings.append("control.frozen_multiple=10")
    with load(4):
        job.start().ends_as_undisturbed()
    require(job.attempts() == 1, "the ranks were started again")
    return Seen()


@kind
def nobody_reads_the_output(job, chance):
    """The pipe behind the job's output is full; the ranks go on, and a loss is seen and recovered from."""
    job.settings.append("train.log_interval=1")
    job.start(stdout=subprocess.PIPE, stderr=subprocess.PIPE, pipesize=4096)
    job.has_saved()
    rank = chance.randrange(job.ranks)
    moment = send(job.worker(rank), signal.SIGKILL)
    job.trains(2)
    job.process.stderr.close()
    job.process.stdout.close()
    job.ends_as_undisturbed()
    return Seen([("dead_process", rank)], [moment])


@kind
def data_is_gone(job, chance):
    """A crash loop ends with its own code; when the data are back, the same command goes on."""
    corpus = job.space.directory / f"{job.name}-corpus"
    for path in job.space.directory.glob("corpus*"):
        shutil.copyfile(path, path.with_name(path.name.replace("corpus", corpus.name, 1)))
    job.settings.append(f"data.data_path={corpus}")
    job.start().has_saved()
    gone = [path.rename(path.with_name(f"gone-{path.name}")) for path in job.space.directory.glob(f"{corpus.name}*")]
    rank = chance.randrange(job.ranks)
    moment = send(job.worker(rank), signal.SIGKILL)
    found = job.finish()
    require(found == 3, f"exit code {found}, expected 3")
    for path in gone:
        path.rename(path.with_name(path.name.removeprefix("gone-")))
    incidents = len(job.incidents())
    job.start().ends_as_undisturbed()
    return Seen([("dead_process", rank)] + [("dead_process", None)] * (incidents - 1), [moment])


@kind
def configuration_is_refused(job, chance):
    job.settings.append("optimizer.lr=1e-3")
    job.start().has_saved()
    send(job.executor(), signal.SIGTERM)
    require(job.finish() == 0, "the job did not stop")
    job.settings[-1] = "optimizer.lr=0.5"
    found = job.start().finish()
    require(found == 2, f"exit code {found}, expected 2: a restart cannot help")
    incidents = [(incident["rule"], None) for incident in job.incidents()]
    require(len(incidents) == 1, f"{len(incidents)} incidents, expected 1")
    return Seen(incidents)
