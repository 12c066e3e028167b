"""Tests of pages.py: which blocks are commands, and what the notes above them do."""
import subprocess
import unittest

import pages

PAGE = """# Title

Text.

<!-- first: echo made > my.txt -->

    megascale prepare my.txt \\
      --output my     # a comment
    megascale check my.toml

- a list
    whose item goes on: no block

<!-- not run: needs a cluster -->

    srun megascale train my.toml

<!-- without: scripts/test: it runs this test -->

    scripts/quickstart
    scripts/test

<!-- file: my.toml -->

    [model]
    num_layers = 2

    a picture = no command
"""


class Pages(unittest.TestCase):
    def test_finds_blocks_and_their_commands(self):
        found = pages.blocks(PAGE)
        self.assertEqual([b.line for b in found], [7, 16, 20, 25])
        self.assertEqual([b.is_command() for b in found], [True, True, True, False])
        self.assertEqual(found[0].commands(), ["megascale prepare my.txt    --output my     # a comment", "megascale check my.toml"])
        self.assertEqual(found[1].commands(), [])
        self.assertEqual(found[2].commands(), ["scripts/quickstart"])
        self.assertEqual(found[3].text[1], "num_layers = 2")

    def test_the_script_names_the_line_that_fails(self):
        page = "    cd /\n    ls /no/such/folder\n    echo not reached\n"
        done = subprocess.run(["bash", "-c", pages.script("docs/x.md", page)], capture_output=True, text=True)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("FAILED: docs/x.md:1", done.stderr)
        self.assertNotIn("not reached", done.stdout)

    def test_a_note_belongs_to_the_next_block_only(self):
        found = pages.blocks("<!-- not run: x -->\n\nText between.\n\n    megascale a\n")
        self.assertEqual(found[0].commands(), ["megascale a"])


if __name__ == "__main__":
    unittest.main()
