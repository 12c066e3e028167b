"""`pip install .` in a virtual environment that sees Debian's packages, without a network. It compiles with CMake: minutes without a
compiler cache."""
import tempfile
import unittest
from pathlib import Path

from tools import ROOT, build_folder, run, small_job

BUILD = build_folder()


class Pip(unittest.TestCase):
    def test_it_installs_trains_and_goes(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            run("/usr/bin/python3", "-m", "venv", "--system-site-packages", folder / "venv")
            python = folder / "venv/bin/python"
            run(python, "-m", "pip", "install", "--no-build-isolation", "--no-index", ROOT)
            config = small_job(BUILD / "megascale", folder)
            output = run(python, ROOT / "examples/python/train.py", config, cwd=folder)
            self.assertIn("done after 4 steps", output)
            place = run(python, "-c", "import megascale; print(megascale.__file__)", cwd=folder).strip()
            self.assertTrue(place.startswith(str(folder / "venv")), place)
            self.assertTrue((Path(place).parent / "__init__.pyi").exists())
            run(python, "-m", "pip", "uninstall", "--yes", "megascale")
            self.assertEqual(list((folder / "venv/lib").rglob("*megascale*")), [])


if __name__ == "__main__":
    unittest.main()
