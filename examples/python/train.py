#!/usr/bin/env python3
"""Trains from Python, and looks at the run afterwards.

    python3 train.py CONFIG [section.key=value ...]

Ctrl-C stops the training after a step, with a checkpoint; the same command goes on from there."""
import sys

import megascale
import numpy


def ask(job):
    """Prints what is known before anything runs. Returns whether the job can be trained here."""
    problems = job.problems()
    for problem in problems:
        print(problem, file=sys.stderr)
    if problems:
        return False
    plan = job.plan()
    print(f"{plan.parameters} parameters on {plan.world_size} ranks, {plan.flops:.3g} FLOPs a step")
    for category, nbytes in plan.stages[0].memory_by_category.items():
        if nbytes:
            print(f"  {category:<16} {nbytes:>12} bytes")
    return True


def train(job):
    def on_step(step):
        print(f"step {step.step}: loss {step['loss']:.4f}, {step['tokens_per_second']:.0f} tokens/s")
        return step["loss"] >= 2  # False stops

    end = job.train(on_step=on_step, on_message=print)
    print(f"{'stopped' if end.interrupted else 'done'} after {end.steps_done} steps")


def look(run):
    losses = numpy.array([step["loss"] for step in run.steps()])
    print(f"{len(losses)} steps, loss {losses[0]:.3f} to {losses[-1]:.3f}")
    checkpoint = run.checkpoint()
    for tensor in checkpoint.tensors():
        if tensor.name.endswith("_moment"):
            continue
        values = checkpoint[tensor.name]  # the bytes of the file, not a copy
        print(f"  {tensor.name:<48} {values.shape!s:<14} norm {numpy.linalg.norm(values):.3f}")


def main():
    if len(sys.argv) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    job = megascale.Job(sys.argv[1], sys.argv[2:])
    if not ask(job):
        return 1
    train(job)
    look(megascale.Run(job.run_directory))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except megascale.Error as error:
        print(f"train.py: {error}", file=sys.stderr)
        sys.exit(2 if error.code == "bad_usage" else 1)
