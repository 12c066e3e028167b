"""megascale: training of large language models as a static, verified step plan.

    job = megascale.Job("my.toml", ["train.train_iters=100"])
    job.problems()                                  # why it cannot be trained here: a list of texts
    job.plan().stages[0].memory_by_category         # exact bytes, before anything runs
    job.simulate("clusters/a100-megascale.toml").seconds
    job.train(on_step=lambda step: step["loss"] > 2.0)      # False stops the training, with a checkpoint
    megascale.Run("runs/my").checkpoint()["embedding.word_embeddings.weight"]      # a numpy array

docs/from-python.md tells more. Every failure is a megascale.Error with the text that the commands print.
"""
from ._core import (Checkpoint, Error, Job, Plan, PlannedStage, Run, Step, StepForecast, TensorInfo, TrainEnd, __version__)

__all__ = ["Checkpoint", "Error", "Job", "Plan", "PlannedStage", "Run", "Step", "StepForecast", "TensorInfo", "TrainEnd", "__version__"]
