"""The Containerfile as far as it can be tested without a tool for containers: the form of its lines, and that what they name exists.
debian_package_test.py runs the commands of its last stage in an empty Debian."""
import subprocess
import unittest

import containerfile
from tools import ROOT, build_folder

BUILD = build_folder()


class Containerfile(unittest.TestCase):
    def setUp(self):
        self.stages = containerfile.stages((ROOT / "Containerfile").read_text())

    def test_what_it_names_exists(self):
        build, last = self.stages
        self.assertEqual((build.name, build.base, last.base), ("build", last.base, "docker.io/library/debian:12-slim"))
        for stage in self.stages:
            for command in stage.commands():
                subprocess.run(["bash", "-n", "-c", command], check=True)
                for word in command.split():
                    if word.startswith("scripts/"):
                        self.assertTrue((ROOT / word).exists(), word)
        self.assertIn(("COPY", "--from=build /source/build/release/megascale_*.deb /tmp/"), last.steps)
        self.assertIn(("ENTRYPOINT", ["megascale"]), last.steps)

    def test_its_commands_make_the_package_of_this_build(self):
        self.assertEqual(self.stages[0].commands(), ["apt-get update && scripts/package"])
        self.assertIn("cpack --config build/release/CPackConfig.cmake", (ROOT / "scripts/package").read_text())
        config = (BUILD / "CPackConfig.cmake").read_text()
        for setting in ('CPACK_PACKAGE_NAME "megascale"', 'CPACK_GENERATOR "DEB"', 'CPACK_DEBIAN_FILE_NAME "DEB-DEFAULT"'):
            self.assertIn(f"set({setting})", config)

    def test_what_is_left_out_of_the_build_is_the_same_for_all_tools(self):
        self.assertEqual((ROOT / ".containerignore").read_text(), (ROOT / ".dockerignore").read_text())

    def test_the_reader_refuses_what_it_does_not_know(self):
        for text in ("RUN true\n", "FROM a\nADD x y\n", "FROM a b\n", "FROM a\nCMD x\n"):
            with self.assertRaises(ValueError):
                containerfile.stages(text)
        stage, = containerfile.stages("# x\nFROM a\nRUN one \\\n  two\n")
        self.assertEqual(stage.commands(), ["one    two"])


if __name__ == "__main__":
    unittest.main()
