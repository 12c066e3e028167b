"""`cmake --install` into a folder: what is there, and that the examples build and run against it."""
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

from tools import ROOT, build_folder, run, small_job

BUILD = build_folder()


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.prefix = Path(cls.scratch.name) / "prefix"
        run("cmake", "--install", BUILD, "--prefix", cls.prefix)
        cls.files = {str(path.relative_to(cls.prefix)) for path in cls.prefix.rglob("*") if not path.is_dir()}

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def one(self, pattern):
        found = [name for name in self.files if re.fullmatch(pattern, name)]
        self.assertEqual(len(found), 1, f"{pattern}: {found}")
        return self.prefix / found[0]

    def test_all_parts_are_there(self):
        for pattern in (r"bin/megascale", r"lib/(.*/)?libmegascale\.so", r"lib/(.*/)?libmegascale\.so\.\d+\.\d+\.\d+",
                        r"lib/(.*/)?cmake/megascale/megascale-config\.cmake", r"lib/(.*/)?cmake/megascale/megascale-config-version\.cmake",
                        r"share/man/man1/megascale\.1", r"share/man/man1/megascale-checkpoint-verify\.1",
                        r"share/man/man5/megascale\.toml\.5", r"share/bash-completion/completions/megascale",
                        r"share/zsh/site-functions/_megascale", r"share/megascale/configs/quickstart\.toml",
                        r"share/megascale/clusters/h100-dgx\.toml", r"share/megascale/examples/cpp/train_and_read\.cpp",
                        r"share/megascale/examples/python/train\.py", r"share/doc/megascale/docs/start-here\.md",
                        r"share/doc/megascale/LICENSE"):
            self.one(pattern)
        headers = {path.name for path in (ROOT / "include/megascale").iterdir()}
        self.assertEqual({path.name for path in (self.prefix / "include/megascale").iterdir()}, headers)
        # Nothing of a library that megascale is built from, and nothing of the tests.
        self.assertFalse([name for name in self.files if "gtest" in name or name.endswith(".a")])

    def test_public_headers_use_the_standard_library_only(self):
        for header in (self.prefix / "include/megascale").iterdir():
            for included in re.findall(r'^#include [<"]([^>"]+)[>"]', header.read_text(), re.M):
                good = "/" not in included and "." not in included or (self.prefix / "include" / included).exists()
                self.assertTrue(good, f"{header.name} includes {included}")

    def test_the_library_exports_its_interface_only(self):
        library = self.one(r"lib/(.*/)?libmegascale\.so\.\d+\.\d+\.\d+")
        symbols = run("nm", "--dynamic", "--defined-only", "--demangle", library).splitlines()
        names = [line.split(" ", 2)[2] for line in symbols]
        self.assertGreater(len(names), 20)
        interface = re.compile(r"(typeinfo (name )?for |vtable for )?megascale::(Checkpoint|Error|Job|Run|StepReport|to_string)\b")
        self.assertEqual([name for name in names if not interface.match(name)], [])
        for symbol in ("megascale::Job::train(", "megascale::Checkpoint::tensor(", "typeinfo for megascale::Error"):
            self.assertTrue(any(name.startswith(symbol) for name in names), symbol)

    def test_the_example_builds_and_trains(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            sources = self.prefix / "share/megascale/examples/cpp"
            run("cmake", "-S", sources, "-B", folder / "build", "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={self.prefix}",
                "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Werror")
            run("cmake", "--build", folder / "build")
            config = small_job(self.prefix / "bin/megascale", folder)
            output = run(folder / "build/train_and_read", config, "train.train_iters=3", cwd=folder)
            self.assertIn("step 3: loss ", output)
            self.assertIn("done after 3 steps", output)
            self.assertRegex(output, r"checkpoint of step 3: \S+ has \d+ elements and the norm \d")
            wrong = run(folder / "build/train_and_read", config, "train.train_iter=3", cwd=folder, expected=2)
            self.assertIn("train_iters", wrong)

    def test_another_version_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.25)\nproject(x LANGUAGES CXX)\n"
                                                         "find_package(megascale 0.0 REQUIRED)\n")
            done = subprocess.run(["cmake", "-S", folder, "-B", f"{folder}/build", f"-DCMAKE_PREFIX_PATH={self.prefix}"],
                                  capture_output=True, text=True)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("megascale-config.cmake, version: 0.1.0", done.stderr)

    def test_the_python_package_trains(self):
        package = [name for name in self.files if name.endswith("/megascale/__init__.py")]
        if not package:
            self.skipTest("built without the Python package")
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            config = small_job(self.prefix / "bin/megascale", folder)
            places = {"PYTHONPATH": str((self.prefix / package[0]).parent.parent)}
            examples = self.prefix / "share/megascale/examples/python"
            output = run("/usr/bin/python3", examples / "train.py", config, cwd=folder, environment=places)
            self.assertIn("done after 4 steps", output)
            self.assertRegex(output, r"\(32, 96\)|\(96, 32\)")
            share = self.prefix / "share/megascale"
            output = run("/usr/bin/python3", examples / "compare_layouts.py", share / "configs/llama3-8b.toml",
                         share / "clusters/h100-dgx.toml", environment=places)
            self.assertEqual(len(re.findall(r"^tensor \d: \d+\.\d+ s, mfu ", output, re.M)), 4, output)


if __name__ == "__main__":
    unittest.main()
