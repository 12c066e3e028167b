"""Kinds of hangs: a rank freezes in a task of a given kind, in which or after which all others wait. It must be named, and no rank that
waits. They run with the limits that a job has by default, so the time until the rank is named is that of a user."""
import json
import signal
import struct
import time

from job import require
from scenario import Seen, kind
from tools import cgroup, send

# The layout of a ring: src/megascale/base/record_ring_format.h.
RING_HEADER, STEP, TASK = struct.Struct("<QII32sqII64s"), struct.Struct("<qqq"), struct.Struct("<qqqqII")
LIMITS = ["control.frozen_multiple=10", "control.frozen_seconds=5", "control.heartbeat_seconds=1"]
PIPELINE = ["parallel.pipeline_model_parallel_size=2", "parallel.zero_stage=0"]
EXPERTS = ["model.type=mixtral", "model.ffn_hidden_size=256", "moe.num_experts=4", "parallel.expert_model_parallel_size=2",
           "parallel.expert_tensor_parallel_size=1"]
ALL, FIRST_STAGE, LAST_STAGE = range(4), range(2), range(2, 4)
MOST_SECONDS = 10  # until the rank is named


class Position:
    """Which tasks a rank has under way, as its ring and its plan tell."""

    def __init__(self, run, rank):
        self.ring = run / f"events/rank{rank}.ring"
        header = RING_HEADER.unpack_from(self.ring.read_bytes())
        self.count, self.places = header[1], header[2]
        plan = run / f"events/plan-{header[3].split(bytes(1))[0].decode()}.json"
        self.tasks = json.loads(plan.read_text())["tasks"]

    def under_way(self):
        ring = self.ring.read_bytes()
        place_nbytes = STEP.size + self.count * TASK.size
        places = [RING_HEADER.size + i * place_nbytes for i in range(self.places)]
        newest = max(places, key=lambda place: STEP.unpack_from(ring, place)[0])
        if STEP.unpack_from(ring, newest)[2] != 0:
            return []
        records = (TASK.unpack_from(ring, newest + STEP.size + i * TASK.size) for i in range(self.count))
        return [task for task, record in zip(self.tasks, records) if record[1] != 0 and record[3] == 0]


def freeze_in(job, chance, rank, group, is_wanted):
    """Freezes a rank, looks what it was doing, and lets it go on until it was frozen in a task that is wanted. Returns the moment."""
    position = Position(job.run, rank)
    group.joinpath("cgroup.procs").write_text(str(job.worker(rank)))
    state = group.joinpath("freezer.state")
    end = time.monotonic() + 60
    while time.monotonic() < end:
        time.sleep(chance.uniform(0, 0.005))
        state.write_text("FROZEN")
        moment = time.monotonic_ns()
        while state.read_text().strip() != "FROZEN":
            pass
        if is_wanted(job, position):
            return moment
        state.write_text("THAWED")
    require(False, "the rank was never seen in such a task")


def hangs_in(job, chance, is_wanted, ranks=ALL, settings=()):
    job.settings += ["train.train_iters=10000000", *LIMITS, *settings]
    rank = chance.choice(ranks)
    with cgroup("freezer", job.name) as group:
        job.start().has_saved()
        moment = freeze_in(job, chance, rank, group, is_wanted)
        found = job.until(job.incidents, "the hang is not seen", seconds=60)
        group.joinpath("freezer.state").write_text("THAWED")
    require((found[0]["opened_ns"] - moment) * 1e-9 < MOST_SECONDS, f"it was named after {(found[0]['opened_ns'] - moment) * 1e-9} s")
    job.trains(2)
    send(job.process.pid, signal.SIGTERM)
    require((code := job.finish()) == 0, f"exit code {code}")
    return Seen([("frozen_process", rank)], [moment])


def in_task(holds):
    """Whether a task that is wanted was under way."""
    return lambda job, position: any(holds(task) for task in position.under_way())


def of(op, lane):
    return in_task(lambda task: task["op"] == op and task["lane"] == lane)


def computes(part):
    return in_task(lambda task: task["lane"] == "compute" and part in task["name"])


@kind
def hang_in_forward(job, chance):
    return hangs_in(job, chance, computes("/fwd/"))


@kind
def hang_in_backward(job, chance):
    return hangs_in(job, chance, computes("/bwd/"))


@kind
def hang_in_all_gather(job, chance):
    return hangs_in(job, chance, of("all_gather", "tensor"))


@kind
def hang_in_reduce_scatter(job, chance):
    return hangs_in(job, chance, of("reduce_scatter", "tensor"))


@kind
def hang_in_reduction_of_gradients(job, chance):
    return hangs_in(job, chance, of("reduce_scatter", "data"))


@kind
def hang_in_gather_of_parameters(job, chance):
    return hangs_in(job, chance, of("all_gather", "data"))


@kind
def hang_in_dispatch(job, chance):
    """Of rows to experts, whose number the step has just decided."""
    return hangs_in(job, chance, of("all_to_all_v", "expert"), settings=EXPERTS)


@kind
def hang_in_product_of_experts(job, chance):
    return hangs_in(job, chance, computes("mlp/experts/"), settings=EXPERTS)


@kind
def hang_in_norm(job, chance):
    return hangs_in(job, chance, in_task(lambda task: task["lane"] == "step"))


@kind
def hang_in_optimizer(job, chance):
    return hangs_in(job, chance, computes("step/optimizer/adamw"))


@kind
def hang_in_send(job, chance):
    return hangs_in(job, chance, of("send", "forward_send"), FIRST_STAGE, PIPELINE)


@kind
def hang_in_receive(job, chance):
    return hangs_in(job, chance, of("recv", "forward_receive"), LAST_STAGE, PIPELINE)


@kind
def hang_in_data_read(job, chance):
    return hangs_in(job, chance, in_task(lambda task: task["lane"] == "host_in"))


@kind
def hang_in_checkpoint(job, chance):
    """While the rank writes its shard, beside the steps."""
    return hangs_in(job, chance, lambda job, _: any(job.run.glob("checkpoints/.partial-step-*")))
