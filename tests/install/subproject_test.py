"""megascale inside another project, with add_subdirectory: it builds, and leaves the project's own settings alone."""
import json
import tempfile
import unittest
from pathlib import Path

from tools import ROOT, build_folder, run, small_job

BUILD = build_folder()
PROJECT = """cmake_minimum_required(VERSION 3.25)
project(outer LANGUAGES CXX)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
enable_testing()
add_subdirectory(${MEGASCALE} megascale EXCLUDE_FROM_ALL)
add_executable(train_and_read ${MEGASCALE}/examples/cpp/train_and_read.cpp)
target_link_libraries(train_and_read PRIVATE megascale::megascale)
get_property(unity CACHE CMAKE_UNITY_BUILD PROPERTY VALUE)
if(NOT "${unity},${CMAKE_BUILD_TYPE}" STREQUAL "${EXPECTED}")
  message(FATAL_ERROR "expected the project's settings to stay ${EXPECTED}, found ${unity},${CMAKE_BUILD_TYPE}")
endif()
install(TARGETS train_and_read)
"""


class Subproject(unittest.TestCase):
    def test_it_builds_and_changes_nothing_else(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            (folder / "CMakeLists.txt").write_text(PROJECT)
            def configure(build, expected, *more):
                run("cmake", "-S", folder, "-B", build, "-G", "Ninja", f"-DMEGASCALE={ROOT}", f"-DEXPECTED={expected}", *more)
                commands = json.loads((build / "compile_commands.json").read_text())
                self.assertFalse([one["file"] for one in commands if "-Werror" in one["command"] or "/tests/" in one["file"]])
                self.assertRegex(run("ctest", "--test-dir", build, "-N"), "No tests were found|Total Tests: 0")
                return len(commands)

            self.assertGreater(configure(folder / "plain", ","), 200)  # each source is compiled by itself
            build = folder / "build"
            configure(build, "ON,Release", "-DCMAKE_UNITY_BUILD=ON", "-DCMAKE_BUILD_TYPE=Release")
            run("cmake", "--build", build, "--target", "train_and_read")
            output = run(build / "train_and_read", small_job(BUILD / "megascale", folder), cwd=folder)
            self.assertIn("done after 4 steps", output)
            run("cmake", "--install", build, "--prefix", folder / "prefix")
            installed = [str(path.relative_to(folder / "prefix")) for path in (folder / "prefix").rglob("*") if path.is_file()]
            self.assertEqual(installed, ["bin/train_and_read"])


if __name__ == "__main__":
    unittest.main()
