"""A job on several emulated hosts (scripts/cluster): a driver and executors that talk over mutual TLS, each started again when it ends."""
import contextlib
import json
import os
import signal
import subprocess
import threading
import time

from job import MEGASCALE, ROOT, Job, require

PORT = 29400


class Hosts:
    """Hosts 0 to count-1; the last one is that of the driver and has no ranks."""

    def __init__(self, directory, count, *links):
        self.state, self.count = directory / "hosts", count
        self.script("up", "--hosts", count, *links)

    def script(self, *words):
        done = subprocess.run([ROOT / "scripts/cluster", *map(str, words)], env={**os.environ, "MEGASCALE_CLUSTER": str(self.state)},
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        require(done.returncode == 0, f"scripts/cluster {words[0]}: {done.stdout}{done.stderr}")

    def down(self):
        self.script("down")

    def first_process(self, host):
        return int((self.state / f"init.{host}").read_text())

    def inside(self, host, *words):
        return ["nsenter", "--all", f"--wd={self.state.parent}", "--target", str(self.first_process(host)), "--", *map(str, words)]

    def address(self, host):
        return f"10.77.0.{host + 1}"

    def on(self, host, *words):
        done = subprocess.run(self.inside(host, *words), stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        require(done.returncode == 0, f"{words} on host {host}: {done.stdout}{done.stderr}")
        return done.stdout

    def switch(self, *words):
        target = (self.state / "switch").read_text().strip()
        subprocess.run(["nsenter", "--net", "--target", target, "--", *map(str, words)], check=True, stdin=subprocess.DEVNULL)

    def lose(self, host):
        """The power of a host fails."""
        os.kill(self.first_process(host), signal.SIGKILL)

    def of(self, pid):
        """The host of a process."""
        net = os.readlink(f"/proc/{pid}/ns/net")
        for host in range(self.count):
            with contextlib.suppress(OSError):
                if os.readlink(f"/proc/{self.first_process(host)}/ns/net") == net:
                    return host
        return None

    @contextlib.contextmanager
    def dropping(self, host, program, sides):
        """Packets of the link of a host pass a filter: a program for the packet filter of the kernel, whose result 2 drops a packet."""
        port = f"port{host}"
        self.switch("tc", "qdisc", "add", "dev", port, "clsact")
        try:
            for side in sides:
                self.switch("tc", "filter", "add", "dev", port, side, "bpf", "bytecode", program, "da")
            yield time.monotonic_ns()
        finally:
            self.switch("tc", "qdisc", "del", "dev", port, "clsact")

    def cut(self, host, direction="both"):
        """Nothing comes through the link of a host: from it, to it, or both."""
        sides = {"from": ["ingress"], "to": ["egress"], "both": ["ingress", "egress"]}[direction]
        return self.dropping(host, "1,6 0 0 2,", sides)

    def lossy(self, host, one_of):
        """A random one of so many packets is lost on the link of a host, in each direction."""
        # Load a random number, take it modulo `one_of`, drop the packet if 0 is left.
        return self.dropping(host, f"5,32 0 0 4294963256,148 0 0 {one_of},21 0 1 0,6 0 0 2,6 0 0 0,", ["ingress", "egress"])


class Kept:
    """A command that a loop starts again whenever it ends with an error, as systemd would. It ends for good with the codes of `ends`."""

    def __init__(self, words, log, ends=(0, 2, 3)):
        self.words, self.log, self.ends = words, log, ends
        self.code, self.process, self.closing = None, None, False
        self.begin()
        self.thread = threading.Thread(target=self.watch, daemon=True)
        self.thread.start()

    def begin(self):
        with open(self.log, "a", encoding="utf-8") as log:
            self.process = subprocess.Popen(self.words, stdout=log, stderr=log, stdin=subprocess.DEVNULL)

    def watch(self):
        while True:
            code = self.process.wait()
            if self.closing or code in self.ends:
                self.code = code
                return
            time.sleep(0.1)
            self.begin()

    def close(self):
        self.closing = True
        self.process.kill()
        self.thread.join(10)


class ClusterJob(Job):
    """Ranks on the first `used` hosts, the other ones are spares; the driver is on the last host."""

    def __init__(self, space, name, hosts, used=2, **options):
        super().__init__(space, name, **options)
        self.hosts, self.used, self.kept = hosts, used, []
        self.driver_host = hosts.count - 1
        self.credentials = space.directory / f"{name}-credentials"
        self.addresses = [self.place()]

    def trust(self):
        """Makes an authority, and lets each host join by a token."""
        authority = self.credentials / "driver"
        place = f"{self.hosts.address(self.driver_host)}:{PORT + 1}"
        self.hosts.on(self.driver_host, MEGASCALE, "cluster", "init", authority, "--name", self.name)
        server = subprocess.Popen(self.hosts.inside(self.driver_host, MEGASCALE, "cluster", "serve", authority, "--listen", place),
                                  stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            for host in range(self.driver_host):
                token = self.hosts.on(self.driver_host, MEGASCALE, "cluster", "token", authority, "--address", place)
                path = self.credentials / f"token{host}"
                path.write_text(token)
                path.chmod(0o600)
                self.join(host, place, path)
        finally:
            for pid in self.pids_of("cluster", "serve", str(authority)):
                os.kill(pid, signal.SIGKILL)
            server.wait()

    def join(self, host, place, token):
        end = time.monotonic() + 20
        while True:
            with open(token, encoding="utf-8") as file:
                done = subprocess.run(self.hosts.inside(host, MEGASCALE, "cluster", "join", place, "-", self.credentials / f"host{host}"),
                                      capture_output=True, text=True, stdin=file, check=False)
            if done.returncode == 0:
                return
            require(time.monotonic() < end, f"host {host} cannot join: {done.stderr}")
            time.sleep(0.1)

    def pids_of(self, *words):
        """Processes with these words in their command line, one of which is a path of this job: other jobs may run beside it."""
        own = (str(self.credentials), str(self.run))
        found = []
        for entry in os.scandir("/proc"):
            if entry.name.isdigit():
                with contextlib.suppress(OSError):
                    with open(f"/proc/{entry.name}/cmdline", "rb") as file:
                        line = file.read().decode(errors="replace").split("\0")
                    if "nsenter" not in line[0] and all(word in line for word in words) and any(
                            word.startswith(own) for word in line):
                        found.append(int(entry.name))
        return found

    def place(self, host=None):
        return f"{self.hosts.address(self.driver_host if host is None else host)}:{PORT}"

    def places(self):
        return ",".join(self.addresses)

    def keep(self, host, *words):
        self.kept.append(Kept(self.hosts.inside(host, MEGASCALE, *words), self.log))
        return self.kept[-1]

    def start_driver(self, host=None, *options):
        host = self.driver_host if host is None else host
        self.driving = self.keep(host, "driver", self.run, "--listen", f"{self.hosts.address(host)}:{PORT}", "--credentials",
                                 self.credentials / "driver", *options)
        self.process = self.driving.process
        return self.driving

    def start_executor(self, host):
        return self.keep(host, "executor", "--driver", self.places(), "--credentials", self.credentials / f"host{host}", "--stay")

    def start(self, **_):
        self.trust()
        self.start_driver()
        for host in range(self.used):  # the first ones get the ranks
            self.start_executor(host)
        settings = [word for setting in [f"train.run_dir={self.run}", *self.settings] for word in ("--set", setting)]
        self.hosts.on(self.driver_host, MEGASCALE, "submit", self.space.directory / "job.toml", *settings, "--ranks", self.ranks, "--hosts",
                      self.used, "--driver", self.place(), "--credentials", self.credentials / "driver")
        for host in range(self.used, self.driver_host):
            self.start_executor(host)
        return self

    def until(self, holds, what, seconds=90, pause=0.02):
        end = time.monotonic() + seconds
        while not (value := holds()):
            require(self.driving.code is None, f"{what}; the job has ended with {self.driving.code}")
            require(time.monotonic() < end, f"{what} in {seconds} s")
            time.sleep(pause)
        return value

    def finish(self, seconds=600):
        end = time.monotonic() + seconds
        while self.driving.code is None:
            require(time.monotonic() < end, f"the job does not end in {seconds} s")
            time.sleep(0.05)
        for kept in self.kept:
            kept.close()
        for pid in self.pids_of("executor", "--driver", self.places()):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGTERM)
        return self.driving.code

    def end_by_force(self):
        for kept in self.kept:
            kept.close()
        for pid in [*self.workers().values(), *self.pids_of("driver", str(self.run)), *self.pids_of("executor", "--driver", self.places())]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def driver(self):
        return next(iter(self.pids_of("driver", str(self.run))), None)

    def executor_of(self, host):
        return next((pid for pid in self.pids_of("executor", "--driver", self.places()) if self.hosts.of(pid) == host), None)

    def host_of(self, rank):
        return self.hosts.of(self.worker(rank))

    def status(self):
        done = subprocess.run([MEGASCALE, "status", self.run, "--json"], capture_output=True, text=True, check=False)
        return json.loads(done.stdout.splitlines()[-1]) if done.returncode == 0 else {}
