"""Loads scripts/compare-pytorch, a program without a suffix, as a module: its models are the references of tests."""
import importlib.machinery
import importlib.util
import sys

sys.dont_write_bytecode = True


def load_module(path):
    loader = importlib.machinery.SourceFileLoader("compare_pytorch", path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("compare_pytorch", loader))
    loader.exec_module(module)
    return module
