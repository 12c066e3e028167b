#!/usr/bin/env python3
"""Simulates a job with every division of its ranks into tensor and data parallelism, and prints the fastest first.

    python3 compare_layouts.py CONFIG CLUSTER [section.key=value ...]"""
import sys

import megascale


def main():
    if len(sys.argv) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    file, cluster, overrides = sys.argv[1], sys.argv[2], sys.argv[3:]
    ranks = int(megascale.Job(file, overrides).value("parallel.world_size"))
    found = []
    for tensor in (1, 2, 4, 8):
        if ranks % tensor != 0:
            continue
        try:
            job = megascale.Job(file, [*overrides, f"parallel.tensor_model_parallel_size={tensor}"])
            forecast = job.simulate(cluster)
        except megascale.Error as error:  # a layout that breaks a rule
            print(f"tensor {tensor}: {str(error).splitlines()[0]}", file=sys.stderr)
            continue
        found.append((forecast.seconds, tensor, forecast))
    for seconds, tensor, forecast in sorted(found, key=lambda one: one[0]):
        fits = "" if forecast.fits else ", does not fit"
        print(f"tensor {tensor}: {seconds:.3f} s, mfu {forecast.mfu:.3f}, {forecast.memory_bytes / 2**30:.1f} GiB{fits}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
