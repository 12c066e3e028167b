"""Faults of hosts, of the network between them, and of drivers and executors on several hosts."""
import contextlib
import json
import signal
import subprocess
import time

from cluster import PORT
from job import MEGASCALE, require
from scenario import Seen, a_while
from tools import send

HOST_KINDS = {}
SHAPES = {}  # (hosts, hosts with ranks, ranks) of kinds that need others than 4, 2 and 4
LEASE = 6  # seconds
MOST_ROUNDING = 0.02  # of a loss, after hundreds of steps in which sums were made in another order


def kind(function):
    HOST_KINDS["hosts_" + function.__name__] = function
    return function


def begin(job):
    job.steps *= 3  # faults of hosts last longer
    job.settings += [f"train.train_iters={job.steps}", f"control.lease_seconds={LEASE}", "control.heartbeat_seconds=0.5"]
    return job.start().has_saved()


def a_member(job, chance):
    """A host with ranks."""
    return job.host_of(chance.randrange(job.ranks))


def unharmed(job, seen=None):
    job.ends_as_undisturbed()
    require(job.attempts() == 1, "the ranks were started again")
    return seen or Seen()


@kind
def rank_killed(job, chance):
    begin(job)
    a_while(chance)
    rank = chance.randrange(job.ranks)
    moment = send(job.worker(rank), signal.SIGKILL)
    job.ends_as_undisturbed()
    return Seen([("dead_process", rank)], [moment])


@kind
def host_lost(job, chance):
    """A spare takes its place."""
    begin(job)
    rank = chance.randrange(job.ranks)
    host = job.host_of(rank)
    job.hosts.lose(host)
    moment = time.monotonic_ns()
    job.ends_as_undisturbed()
    return Seen([(None, None)], [moment])


@kind
def host_lost_with_its_memory(job, chance):
    """The state of its ranks is in the memory of the other host, newer than on the disk."""
    job.settings += ["checkpoint.memory_interval=5", "checkpoint.interval=150"]
    begin(job)
    time.sleep(chance.uniform(0.5, 1.5))
    host = a_member(job, chance)
    job.hosts.lose(host)
    moment = time.monotonic_ns()
    job.ends_as_undisturbed()
    require("resuming from /dev/shm" in job.text(), "it was not resumed from memory")
    return Seen([(None, None)], [moment])


@kind
def two_of_four_lost_without_spares(job, chance):
    """The job goes on with two hosts and the same batch. Gradients are added in another order then, so from there on losses agree to
    rounding, which grows with the steps."""
    same = ["train.global_batch_size=0"]  # 8 on all ranks: what `submit` has planned counts, not the ranks that are left
    job.settings += ["control.allow_fewer=true", "control.fewer_after_seconds=2", *same]
    begin(job)
    for host in chance.sample(range(job.used), 2):
        job.hosts.lose(host)
    moment = time.monotonic_ns()
    code = job.finish()
    require(code == 0, f"exit code {code}")
    require("the job has 2 of 4 hosts, so 4 of 8 ranks" in job.text(), "it did not go on with two hosts")
    history, _ = job.result()
    require(len(history) == job.steps, f"{len(history)} of {job.steps} steps in the metrics")
    wanted, _ = job.space.undisturbed([setting for setting in job.settings if setting not in same], job.steps, job.ranks)
    resumed = job.query("SELECT min(step) FROM events WHERE kind = 'attempt_training' AND epoch > 1")[0][0]
    off = [abs(got["loss"] / want["loss"] - 1) for got, want in zip(history, wanted)]
    require(not any(off[:resumed]), f"losses of the steps before step {resumed} differ by up to {max(off[:resumed])}")
    require(max(off[resumed:resumed + 5]) < 1e-5, f"the next losses differ by up to {max(off[resumed:resumed + 5])}")
    require(max(off) < MOST_ROUNDING, f"losses differ by up to {max(off)}")
    return Seen([(None, None), (None, None)], [moment, moment])


SHAPES["hosts_two_of_four_lost_without_spares"] = (5, 4, 8)


@kind
def spare_lost(job, chance):
    begin(job)
    members = {job.host_of(rank) for rank in range(job.ranks)}
    job.hosts.lose(next(host for host in range(job.driver_host) if host not in members))
    job.ends_as_undisturbed()
    require(job.attempts() == 1, "the ranks were started again")
    return Seen([("missing_heartbeat", None)])


@kind
def cut_for_a_moment(job, chance):
    begin(job)
    with job.hosts.cut(a_member(job, chance)):
        time.sleep(chance.uniform(0.5, 1.5))
    return unharmed(job)


@kind
def link_flaps(job, chance):
    begin(job)
    host = a_member(job, chance)
    for _ in range(4):
        with job.hosts.cut(host):
            time.sleep(chance.uniform(0.1, 0.6))
        time.sleep(0.5)
    return unharmed(job)


def cut_for_long(job, chance, direction):
    """The host is given up after the lease; when its link is back, its old ranks are ended and it is a spare."""
    begin(job)
    host = a_member(job, chance)
    with job.hosts.cut(host, direction) as moment:
        job.until(job.incidents, "the loss is not seen", 60)
        job.trains(2)
        a_while(chance, 2)
    job.ends_as_undisturbed()
    return Seen([(None, None)], [moment])


@kind
def partition(job, chance):
    return cut_for_long(job, chance, "both")


@kind
def partition_from_the_host(job, chance):
    return cut_for_long(job, chance, "from")


@kind
def partition_to_the_host(job, chance):
    return cut_for_long(job, chance, "to")


@kind
def lost_packets(job, chance):
    begin(job)
    with job.hosts.lossy(a_member(job, chance), chance.choice([30, 100])):
        time.sleep(3)
    return unharmed(job)


@kind
def driver_killed(job, chance):
    begin(job)
    back = []
    for _ in range(2):
        back.append(job.driver_returns(send(job.driver(), signal.SIGKILL)))
        a_while(chance, 1)
    return unharmed(job, Seen(back=back))


@kind
def driver_cut_off(job, chance):
    """Nobody reaches the driver for longer than the lease: the ranks go on, and nothing is started again."""
    begin(job)
    with job.hosts.cut(job.driver_host):
        time.sleep(LEASE + chance.uniform(1, 3))
    return unharmed(job, Seen(any_incidents=True))


def takes_over(job, how):
    """Another driver takes the job over on host 2, which has no ranks; `how` ends the first one or cuts it off. The ranks go on."""
    job.addresses = [job.place(), job.place(2)]
    begin(job)
    how()
    job.driver_host = 2
    job.start_driver(2, "--take-over")
    job.until(lambda: job.query("SELECT count(*) FROM events WHERE kind = 'driver_started'")[0][0] == 1, "nobody takes over")


@kind
def driver_host_lost(job, chance):
    """Another driver takes the job over; the ranks go on. Later faults are recovered from as before."""
    takes_over(job, lambda: (a_while(chance, 1), job.hosts.lose(job.driver_host)))
    a_while(chance, 1)
    require(job.attempts() == 1, "the ranks were started again")
    rank = chance.randrange(job.ranks)
    moment = send(job.worker(rank), signal.SIGKILL)
    job.ends_as_undisturbed()
    require(job.attempts() == 2, "the ranks were started again and again")
    return Seen([("dead_process", rank)], [moment])


@kind
def driver_taken_over_while_cut_off(job, chance):
    """The driver's host is only cut off: its driver ends by itself when another one has taken over."""
    first = job.driver_host
    cable = job.hosts.cut(first)
    takes_over(job, cable.__enter__)
    old = job.kept[0]
    job.until(lambda: old.code is not None, "the driver before does not end", 20)
    require(old.code == 2, f"the driver before ends with {old.code}")
    a_while(chance, 1)
    cable.__exit__(None, None, None)
    return unharmed(job, Seen(any_incidents=True))


@kind
def executor_killed(job, chance):
    begin(job)
    host = a_member(job, chance)
    moment = send(job.executor_of(host), signal.SIGKILL)
    job.ends_as_undisturbed()
    return Seen([(None, None)], [moment])


@kind
def executor_stopped_for_a_moment(job, chance):
    begin(job)
    pid = job.executor_of(a_member(job, chance))
    send(pid, signal.SIGSTOP)
    time.sleep(chance.uniform(0.5, 2))
    send(pid, signal.SIGCONT)
    return unharmed(job)


@kind
def executor_stopped(job, chance):
    begin(job)
    pid = job.executor_of(a_member(job, chance))
    moment = send(pid, signal.SIGSTOP)
    job.until(job.incidents, "the loss is not seen", 60)
    job.trains(2)
    with contextlib.suppress(ProcessLookupError):
        send(pid, signal.SIGCONT)
    job.ends_as_undisturbed()
    return Seen([("missing_heartbeat", None)], [moment])


def second_executor(job, chance, *options):
    host = a_member(job, chance)
    return subprocess.Popen(job.hosts.inside(host, MEGASCALE, "executor", "--driver", job.places(), "--credentials",
                                             job.credentials / f"host{host}", *options), stdout=subprocess.DEVNULL,
                            stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)


@kind
def duplicate_executor(job, chance):
    """A second executor with the certificate of a host is refused, and the job does not notice it."""
    begin(job)
    other = second_executor(job, chance)
    said = other.communicate(timeout=60)[1]
    require(other.returncode == 1 and "--replace" in said, f"the second executor ends with {other.returncode}: {said}")
    return unharmed(job)


@kind
def executor_replaced(job, chance):
    """A second executor that may do so takes the place of the first one, which costs one restart."""
    begin(job)
    other = second_executor(job, chance, "--replace")
    job.ends_as_undisturbed()
    other.communicate(timeout=30)
    require(job.attempts() <= 2, "the ranks were started again and again")
    return Seen(any_incidents=True)


@kind
def evicted_by_an_operator(job, chance):
    begin(job)
    host = f"host{a_member(job, chance)}"
    moment = time.monotonic_ns()
    job.hosts.on(job.driver_host, MEGASCALE, "evict", host, "--driver", job.place(), "--credentials", job.credentials / "driver")
    job.ends_as_undisturbed()
    return Seen([(None, None)], [moment])


SCAN = """
import select, socket, sys
found = []
for first in range(1, 65536, 500):
    poll, tried = select.poll(), {}
    for port in range(first, min(first + 500, 65536)):
        one = socket.socket()
        one.setblocking(False)
        one.connect_ex((sys.argv[1], port))
        tried[one.fileno()] = (one, port)
        poll.register(one, select.POLLOUT)
    while tried and (events := poll.poll(300)):
        for descriptor, _ in events:
            one, port = tried.pop(descriptor)
            poll.unregister(one)
            if one.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) == 0:
                found.append(port)
            one.close()
    for one, _ in tried.values():
        one.close()
print(*found)
"""


def open_in_kernel(job, host):
    """(protocol, port) of every socket in the network namespace of a host that takes what comes."""
    found = set()
    for table, state in (("tcp", "0A"), ("tcp6", "0A"), ("udp", "07"), ("udp6", "07")):
        for line in job.hosts.on(host, "cat", f"/proc/net/{table}").splitlines()[1:]:
            words = line.split()
            if words[3] == state:
                found.add((table[:3], int(words[1].split(":")[1], 16)))
    return found


@kind
def no_port_but_those_listed(job, chance):
    """`status --ports` lists every port of the job. A stranger finds the control port and the store, and no port of a rank."""
    begin(job)
    time.sleep(3)
    done = subprocess.run([MEGASCALE, "status", job.run, "--ports", "--json"], capture_output=True, text=True, check=True)
    ports = json.loads(done.stdout.splitlines()[-1])["ports"]
    require({port["purpose"] for port in ports} == {"control", "store", "data"}, f"listed are {ports}")
    require(all(port["interface"] not in ("all", "unknown") for port in ports), f"a port is open on all interfaces: {ports}")
    members = {job.host_of(rank) for rank in range(job.ranks)}
    for host in range(job.hosts.count):
        own = [port for port in ports if port["host"] == f"host{host}"]
        listed = {(port["protocol"], port["port"]) for port in own}
        require(open_in_kernel(job, host) == listed, f"host {host} has open {open_in_kernel(job, host)}, listed are {listed}")
        stranger = next(other for other in range(job.hosts.count) if other != host and other not in members)
        seen = set(map(int, job.hosts.on(stranger, "python3", "-c", SCAN, job.hosts.address(host)).split()))
        public = {port["port"] for port in own if port["purpose"] != "data" and port["interface"] != "lo"}
        require(seen == public, f"a stranger finds {seen} on host {host}, expected {public}")
    return unharmed(job)


@kind
def hostile_clients(job, chance):
    """Hundreds of connections that send rubbish, or nothing, or slowly: no heartbeat is late."""
    begin(job)
    program = f"""
import random, socket, time
chance = random.Random({chance.random()})
held = []
end = time.monotonic() + 4
while time.monotonic() < end:
    one = socket.socket()
    one.settimeout(0.2)
    try:
        one.connect(("{job.hosts.address(job.driver_host)}", {PORT}))
        one.send(bytes(chance.randrange(256) for _ in range(chance.choice([0, 1, 100, 4000]))))
    except OSError:
        pass
    held.append(one)
    if len(held) > 400:
        held.pop(chance.randrange(len(held))).close()
"""
    job.hosts.on(job.used, "python3", "-c", program)
    return unharmed(job)
