"""What `megascale simulate` says about two emulated hosts, from a cluster file of this machine (`megascale calibrate`)."""
import json
import re
import subprocess
import tempfile

LATENCY_US = 100  # of TCP between two namespaces, progress threads included
CORE_SECONDS_PER_BYTE = 3.1e-9  # what the emulated network takes from a host's core: 0.25 s for 80 MB, in and out


def emulated_hosts(machine, bytes_per_second):
    """The cluster file `machine` (text) as hosts of one core, with links of that rate; None: links that cost nothing."""
    free = bytes_per_second is None
    gb_per_s = 1e3 if free else bytes_per_second / 1e9
    network = (f"[network]\ngb_per_s = {gb_per_s:.6g}\nefficiency = [[1, 1]]\nprotocols = [[{0 if free else LATENCY_US}, 0, 1]]\n"
               f"processor_share = {0 if free else min(1, CORE_SECONDS_PER_BYTE * bytes_per_second):.4g}\n"
               "spread_efficiency = [[1, 1]]\n\n")
    both_at_work = re.search(r"^speed = .*\[2, ([\d.]+)\]", machine, re.M)
    speed = both_at_work[1] if both_at_work else "1"
    for pattern, text in ((r"^devices_per_node = .*$", "devices_per_node = 1"), (r"^\[network\]\n(.+\n)+\n", network),
                          (r"^processors = .*\nspeed = .*$", f"processors = 1\nspeed = [[1, {speed}]]")):
        machine, found = re.subn(pattern, text, machine, flags=re.M)
        if found != 1:
            raise SystemExit(f"expected a cluster file as `megascale calibrate` writes it, found {found} times {pattern!r}")
    return machine


def predict(binary, config, switch, bytes_per_second, machine):
    """Seconds of C, O and F (see measure)."""
    def step(rate, *more):
        with tempfile.NamedTemporaryFile("w", suffix=".toml") as cluster:
            cluster.write(emulated_hosts(machine, rate))
            cluster.flush()
            done = subprocess.run([binary, "simulate", *config, "--ranks", "2", "--cluster", cluster.name, "--json", *more],
                                  capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise SystemExit(f"{done.stdout}{done.stderr}")
        return json.loads(done.stdout.splitlines()[-1])["step_seconds"]

    return {"C": step(None), "O": step(bytes_per_second), "F": step(bytes_per_second, "--set", f"overlap.{switch}=false")}
