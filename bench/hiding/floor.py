#!/usr/bin/env python3
"""The shortest step that a plan allows on two ranks and a link of a given rate.

    bench/hiding/floor.py RUN_DIR MBIT_PER_S     (RUN_DIR: what `megascale bench step ... --only computation --keep RUN_DIR` left)

Every task of the kept step's plan starts as soon as its lane and its waits allow. Kernels take what they took there, transfers
their bytes at the link's rate, one at a time per direction and nothing else: no latency, no copies, no core that is shared. What
a measured step takes beyond it is not the plan's.
"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

BINARY = Path(__file__).resolve().parents[2] / "build/release/megascale"
PARTNER_LANES = {"forward_send": "forward_receive", "backward_send": "backward_receive"}
PARTNER_LANES.update({receive: send for send, receive in PARTNER_LANES.items()})


class Rank:
    """The tasks of one rank, by lane, with how long each takes here and what it sends."""

    def __init__(self, run_dir, number):
        with tempfile.TemporaryDirectory() as scratch:
            trace = Path(scratch) / "trace.json"
            subprocess.run([BINARY, "trace", run_dir, "--rank", str(number), "--output", trace], check=True, capture_output=True)
            events = [e for e in json.loads(trace.read_text())["traceEvents"] if e["ph"] == "X"]
        last = max(e["args"]["step"] for e in events)
        events = [e for e in events if e["args"]["step"] == last]
        plan = next(p for p in map(json.loads, (f.read_text() for f in Path(run_dir, "events").glob("plan-*.json")))
                    if [t["name"] for t in p["tasks"]] == [e["name"] for e in events])
        self.lanes, self.ends = {}, {}
        for task, event in zip(plan["tasks"], events):
            self.lanes.setdefault(task["lane"], []).append(task)
            task["seconds"] = event["dur"] / 1e6
            task["sends"] = self.sent_nbytes(task)
            task["transfers"] = task["lane"] not in ("compute", "host_in", "host_out")
        self.ends = {lane: [] for lane in self.lanes}
        self.link_is_free = 0.0

    @staticmethod
    def sent_nbytes(task):
        size = {o["access"]: o["end"] - o["begin"] for o in task["operands"]}
        if task["op"] in ("reduce_scatter", "all_reduce", "all_to_all"):  # of two ranks: all but the own block
            return max(size.values()) / 2 * (2 if task["op"] == "all_reduce" else 1)
        if task["op"] == "recv" or "/own" in task["name"]:
            return 0
        return size.get("read", 0)

    def head(self, lane):
        done = len(self.ends.get(lane, []))
        return self.lanes[lane][done] if done < len(self.lanes.get(lane, [])) else None

    def ready_at(self, lane):
        """When the head of a lane may start, or None while that is not known."""
        task = self.head(lane)
        if task is None or any(len(self.ends[w["lane"]]) < w["count"] for w in task["waits"]):
            return None
        times = [self.ends[w["lane"]][w["count"] - 1] for w in task["waits"]]
        return max(times + self.ends[lane][-1:] + [0.0])


def next_start(ranks):
    """(start, rank, lane) of the task that starts next."""
    best = None
    for r, rank in enumerate(ranks):
        for lane in rank.lanes:
            start = rank.ready_at(lane)
            if start is None:
                continue
            if rank.head(lane)["transfers"]:
                other = ranks[1 - r].ready_at(PARTNER_LANES.get(lane, lane))
                if other is None:
                    continue
                start = max(start, other)
                for sender, sender_lane in ((rank, lane), (ranks[1 - r], PARTNER_LANES.get(lane, lane))):
                    if sender.head(sender_lane)["sends"]:
                        start = max(start, sender.link_is_free)
            if best is None or start < best[0]:
                best = (start, r, lane)
    return best


def floor(run_dir, bytes_per_second):
    ranks = [Rank(run_dir, 0), Rank(run_dir, 1)]
    while (found := next_start(ranks)) is not None:
        start, r, lane = found
        if not ranks[r].head(lane)["transfers"]:
            ranks[r].ends[lane].append(start + ranks[r].head(lane)["seconds"])
            continue
        ends = ((ranks[r], lane), (ranks[1 - r], PARTNER_LANES.get(lane, lane)))
        seconds = max(rank.head(its)["sends"] for rank, its in ends) / bytes_per_second
        for rank, its in ends:
            if rank.head(its)["sends"]:
                rank.link_is_free = start + seconds
            rank.ends[its].append(start + seconds)
    return max(max(times) for rank in ranks for times in rank.ends.values() if times)


if __name__ == "__main__":
    print(f"{floor(sys.argv[1], float(sys.argv[2]) * 1e6 / 8):.4f} s; "
          f"without transfers {floor(sys.argv[1], float('inf')):.4f} s")
