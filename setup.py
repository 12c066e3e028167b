"""Compiles the module of the Python package with CMake, as the rest of megascale. The packages of scripts/install-dependencies
--python must be there. The build folder is build/pip; a second installation compiles only what has changed."""
import re
import subprocess
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = Path(__file__).resolve().parent
VERSION = re.search(r'kVersion = "([^"]+)"', (ROOT / "include/megascale/version.h").read_text()).group(1)


class BuildWithCMake(build_ext):
    def build_extension(self, extension):
        build = ROOT / "build/pip"
        target = Path(self.get_ext_fullpath(extension.name)).resolve()
        subprocess.run(["cmake", "-S", ROOT, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DMEGASCALE_TESTS=OFF",
                        "-DMEGASCALE_BENCH=OFF", f"-DPython_EXECUTABLE={sys.executable}"], check=True)
        subprocess.run(["cmake", "--build", build, "--target", "megascale_python"], check=True)
        target.parent.mkdir(parents=True, exist_ok=True)
        self.copy_file(str(build / "python/megascale" / target.name), str(target))


setup(version=VERSION, ext_modules=[Extension("megascale._core", sources=[])], cmdclass={"build_ext": BuildWithCMake})
