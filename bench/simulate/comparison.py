"""Shared by the scripts that set published runs beside predictions. A Row is a job, a cluster and a
published figure."""
import argparse
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "build/release/megascale"


class Row:
    def __init__(self, name, published, settings, config, cluster):
        self.name, self.published, self.settings = name, published, settings
        self.config, self.cluster = config, cluster

    def run(self, command, arguments):
        line = [str(arguments.program), command, str(self.config), "--json"]
        if command == "simulate":
            line += ["--cluster", str(arguments.cluster or self.cluster)]
        for setting in self.settings + arguments.set:
            line += ["--set", setting]
        done = subprocess.run(line, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{' '.join(line)}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
        return json.loads(done.stdout.strip().splitlines()[-1])


def show_ops(result):
    slowest = max(result["ranks"], key=lambda rank: rank["compute_seconds"])
    print(f"    stage {slowest['stage']}: computes {slowest['compute_seconds']:.3f} s, exposed "
          f"{slowest['exposed_comm_seconds']:.3f}, bubble {slowest['bubble_seconds']:.3f}")
    ops = sorted(slowest["seconds_by_op"].items(), key=lambda op: -op[1])
    print("    " + ", ".join(f"{name} {seconds:.3f}" for name, seconds in ops if seconds > 1e-3))


def summary(errors, unit=""):
    """Mean and worst |error|, printed."""
    absolute = [abs(error) for error in errors]
    mean, worst = sum(absolute) / max(len(absolute), 1), max(absolute, default=0)
    print(f"mean of |error| {mean:.1f}{unit}, worst {worst:.1f}{unit}")
    return mean, worst


def show_seconds(title, rows, arguments, out):
    print(f"\n{title}\n{'':<26} {'published':>9} {'predicted':>9} {'error %':>8}")
    errors = []
    for row in rows:
        if arguments.rows not in row.name:
            continue
        result = row.run("simulate", arguments)
        predicted = result["step_seconds"]
        errors.append(100 * (predicted / row.published - 1))
        needed = f"{result['memory_bytes'] / 2**30:.0f} GiB"
        print(f"{row.name:<26} {row.published:>9.2f} {predicted:>9.2f} {errors[-1]:>+8.1f}"
              f"{'' if result['fits'] else '  does not fit: ' + needed}", flush=True)
        out.append({"row": row.name, "published": row.published, "predicted": predicted})
        if arguments.ops:
            show_ops(result)
    return summary(errors, " %")


def run_tables(tables, bands, description):
    """The command of a script: `tables` by name, functions of the arguments and a list to which they add
    their rows, which return the mean and the worst |error|; `bands` of these."""
    parser = argparse.ArgumentParser(description=description,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", nargs="*", metavar="TABLE")
    parser.add_argument("--set", action="append", default=[])
    parser.add_argument("--cluster", type=pathlib.Path)
    parser.add_argument("--ops", action="store_true")
    parser.add_argument("--rows", default="", help="only rows whose name contains this")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--program", type=pathlib.Path, default=PROGRAM)
    arguments = parser.parse_args()
    for name in arguments.tables:
        if name not in tables:
            parser.error(f"unknown table {name}; known: {', '.join(tables)}")
    everything = {}
    outside = []
    for name in arguments.tables or tables:
        errors = tables[name](arguments, everything.setdefault(name, []))
        if any(error > band for error, band in zip(errors, bands[name])):
            outside.append(f"{name}: expected a mean of at most {bands[name][0]} and a worst of at "
                           f"most {bands[name][1]}, found {errors[0]:.2f} and {errors[1]:.2f}")
    if arguments.json:
        arguments.json.write_text(json.dumps(everything, indent=1) + "\n")
    if arguments.check and outside:
        sys.exit("\n".join(outside))
