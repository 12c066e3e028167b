"""The Python package of a build folder, beside what the commands print and what numpy reads from the files itself."""
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

from tools import ROOT, build_folder, run, small_job

BUILD = build_folder()
sys.path.insert(0, str(BUILD / "python"))
import megascale  # noqa: E402
import numpy  # noqa: E402


def read_safetensors(path):
    """All tensors of a file, by a reader that knows only the format."""
    data = path.read_bytes()
    head = int.from_bytes(data[:8], "little")
    header = json.loads(data[8:8 + head])
    types = {"F32": "<f4", "F64": "<f8", "I64": "<i8", "I32": "<i4"}
    tensors = {}
    for name, entry in header.items():
        if name != "__metadata__":
            begin, end = entry["data_offsets"]
            tensors[name] = numpy.frombuffer(data[8 + head + begin:8 + head + end], types[entry["dtype"]]).reshape(entry["shape"])
    return tensors


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.scratch.name)
        cls.config = small_job(BUILD / "megascale", cls.folder)

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def job(self, name, *overrides):
        return megascale.Job(self.config, [f"train.run_dir={self.folder}/{name}", f"data.data_path={self.folder}/corpus", *overrides])

    def command(self, *words):
        return json.loads(run(BUILD / "megascale", *words, "--json").splitlines()[-1])

    def test_a_plan_is_that_of_the_command(self):
        plan = self.job("plan").plan()
        printed = self.command("plan", self.config)
        self.assertTrue(plan.verified)
        self.assertEqual(plan.parameters, printed["parameters"])
        self.assertEqual(plan.stages[0].memory_bytes, printed["ranks"][0]["memory"]["total"])
        self.assertEqual(plan.stages[0].memory_by_category, printed["ranks"][0]["memory"]["by_category"])
        self.assertEqual(plan.stages[0].digest, printed["digest"])

    def test_a_simulation_is_that_of_the_command(self):
        file, cluster = ROOT / "configs/llama3-8b.toml", ROOT / "clusters/h100-dgx.toml"
        forecast = megascale.Job(file).simulate(cluster)
        printed = self.command("simulate", file, "--cluster", cluster)
        self.assertEqual(forecast.seconds, printed["step_seconds"])
        self.assertEqual(forecast.mfu, printed["mfu"])
        self.assertEqual(forecast.memory_bytes, printed["memory_bytes"])

    def test_a_training_is_reported_and_has_the_bits_of_the_command(self):
        told, messages = [], []
        end = self.job("told").train(on_step=told.append, on_message=messages.append)
        self.assertEqual((end.steps_done, end.interrupted, end.last.step), (4, False, 4))
        self.assertEqual([step.step for step in told], [1, 2, 3, 4])
        self.assertTrue(all(isinstance(message, str) for message in messages))
        read = megascale.Run(self.folder / "told").steps()
        self.assertEqual([step.values for step in read], [step.values for step in told])
        run(BUILD / "megascale", "train", self.config, "--set", f"train.run_dir={self.folder}/printed", cwd=self.folder)
        printed = [json.loads(line) for line in (self.folder / "printed/metrics.jsonl").read_text().splitlines()]
        self.assertEqual([step["loss"] for step in told], [line["loss"] for line in printed])
        self.assertTrue(numpy.isnan(told[0]["no_such_number"]))

    def test_tensors_are_those_of_the_file_without_a_copy(self):
        self.job("tensors").train()
        checkpoint = megascale.Run(self.folder / "tensors").checkpoint()
        expected = {}
        for file in Path(checkpoint.path).glob("*.safetensors"):
            expected.update(read_safetensors(file))
        self.assertGreater(len(expected), 20)
        self.assertEqual({tensor.name for tensor in checkpoint.tensors()}, set(expected))
        for tensor in checkpoint.tensors():
            values = checkpoint[tensor.name]
            self.assertEqual((list(values.shape), values.dtype), (tensor.shape, numpy.float32))
            numpy.testing.assert_array_equal(values, expected[tensor.name])
            self.assertFalse(values.flags.owndata or values.flags.writeable)
            # The same bytes each time, and they lie in the mapped file.
            self.assertEqual(values.ctypes.data, checkpoint[tensor.name].ctypes.data)
        with self.assertRaises(ValueError):
            values[...] = 0
        address = values.ctypes.data
        maps = Path("/proc/self/maps").read_text().splitlines()
        holding = [line for line in maps if int(line.split("-")[0], 16) <= address < int(line.split()[0].split("-")[1], 16)]
        self.assertTrue(holding[0].endswith(".safetensors"), holding)
        name, kept = tensor.name, checkpoint[tensor.name]
        del checkpoint, values  # the array keeps the file
        numpy.testing.assert_array_equal(kept, expected[name])

    def test_tensors_of_several_ranks_are_gathered(self):
        self.job("two", "parallel.world_size=2", "parallel.tensor_model_parallel_size=2").train(most_steps=0)
        self.job("one").train(most_steps=0)
        two, one = (megascale.Run(self.folder / name).checkpoint() for name in ("two", "one"))
        for tensor in one.tensors():
            numpy.testing.assert_array_equal(two[tensor.name], one[tensor.name])

    def test_false_stops_and_an_exception_arrives(self):
        end = self.job("stopped").train(on_step=lambda step: step.step < 2)
        self.assertEqual((end.steps_done, end.interrupted), (3, True))  # one more than asked for
        self.assertEqual(megascale.Run(self.folder / "stopped").checkpoint().step, 3)

        def fail(step):
            raise KeyError(step.step)

        with self.assertRaises(KeyError) as raised:
            self.job("raised").train(on_step=fail)
        self.assertEqual(raised.exception.args, (1,))
        self.assertEqual(megascale.Run(self.folder / "raised").checkpoint().step, 2)
        self.assertEqual(self.job("raised").train().steps_done, 4)

    def test_errors_have_the_text_of_the_command(self):
        with self.assertRaises(megascale.Error) as raised:
            megascale.Job(self.config, ["model.num_layers=0", "train.lr=1"])
        printed = subprocess.run([BUILD / "megascale", "plan", self.config, "--set", "model.num_layers=0", "--set", "train.lr=1"],
                                 capture_output=True, text=True)
        self.assertEqual(f"megascale: {raised.exception}\n", printed.stderr)
        self.assertEqual(raised.exception.code, "bad_usage")
        with self.assertRaises(megascale.Error) as raised:
            megascale.Checkpoint(self.folder)
        self.assertEqual(raised.exception.code, "bad_input")
        with self.assertRaises(TypeError):
            megascale.Job(self.config).train(on_step=1)

    def test_other_threads_of_python_run_meanwhile(self):
        counted = []
        ends = threading.Event()

        def count():
            while not ends.is_set():
                counted.append(time.monotonic())
                time.sleep(0.001)

        thread = threading.Thread(target=count)
        thread.start()
        begin = time.monotonic()
        self.job("threads", "train.train_iters=400").train()
        seconds = time.monotonic() - begin
        ends.set()
        thread.join()
        inside = [at for at in counted if at > begin]
        longest = max(b - a for a, b in zip(inside, inside[1:]))
        self.assertLess(longest, max(0.5, seconds / 2))
        self.assertGreater(len(inside), 20)

    def test_ctrl_c_stops_with_a_checkpoint(self):
        program = (f"import sys\nsys.path.insert(0, {str(BUILD / 'python')!r})\nimport megascale\n"
                   f"job = megascale.Job({str(self.config)!r}, ['train.run_dir={self.folder}/interrupted', "
                   f"'data.data_path={self.folder}/corpus', 'train.train_iters=1000000'])\n"
                   "try:\n"
                   "    job.train(on_step=(lambda step: print(step.step, flush=True)) if step_told else None)\n"
                   "except KeyboardInterrupt:\n"
                   "    print('interrupted', megascale.Run(job.run_directory).checkpoint().step, flush=True)\n")
        for told in (True, False):
            with self.subTest(told=told):
                process = subprocess.Popen([sys.executable, "-c", f"step_told = {told}\n" + program], stdout=subprocess.PIPE, text=True)
                try:
                    metrics = self.folder / "interrupted/metrics.jsonl"
                    before = metrics.read_text() if metrics.exists() else ""
                    for _ in range(600):
                        if metrics.exists() and len(metrics.read_text()) > len(before) + 500:
                            break
                        time.sleep(0.05)
                    process.send_signal(signal.SIGINT)
                    output, _ = process.communicate(timeout=60)
                finally:
                    process.kill()
                lines = output.splitlines()
                self.assertEqual(process.returncode, 0, output[-2000:])
                self.assertRegex(lines[-1], r"^interrupted \d+$")
                if told:
                    self.assertIn(int(lines[-1].split()[1]) - int(lines[-2]), (1, 2, 3))

    def test_the_stubs_name_what_there_is(self):
        import ast
        stubs = ast.parse((ROOT / "python/megascale/__init__.pyi").read_text())
        for node in stubs.body:
            if not isinstance(node, ast.ClassDef):
                continue
            real = getattr(megascale, node.name)
            declared = {item.name for item in node.body if isinstance(item, ast.FunctionDef)}
            present = {name for name in vars(real) if not name.startswith("_")}
            self.assertEqual({name for name in declared if not name.startswith("_")}, present, node.name)
        self.assertEqual(sorted(megascale.__all__),
                         sorted([node.name for node in stubs.body if isinstance(node, ast.ClassDef)] + ["__version__"]))


if __name__ == "__main__":
    os.chdir(tempfile.gettempdir())
    unittest.main()
