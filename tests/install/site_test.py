"""scripts/site builds the documents; a broken link ends it; no page fetches anything."""
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from tools import ROOT, build_folder, run

BUILD = build_folder()


class Site(unittest.TestCase):
    def test_it_is_whole_and_needs_no_network(self):
        with tempfile.TemporaryDirectory() as folder:
            site = Path(folder) / "site"
            self.assertIn(" pages: ", run(ROOT / "scripts/site", site))
            for page in (ROOT / "docs").rglob("*.md"):
                self.assertTrue((site / page.relative_to(ROOT)).with_suffix(".html").exists(), page)
            self.assertTrue((site / "docs/pictures/step.svg").exists())
            reference = "".join(path.read_text() for path in (site / "api").glob("*.html"))
            for name in ("memory_by_category", "Checkpoint", "on_step"):
                self.assertIn(name, reference)
            self.assertIn("saves a checkpoint and returns", re.sub(r"\s+", " ", reference))  # a comment of job.h
            for page in site.rglob("*.html"):
                fetched = re.findall(r'<(?:script|link|img)[^>]*(?:src|href)="(?:https?:)?//[^"]*"', page.read_text())
                self.assertEqual(fetched, [], page)
            for style in site.rglob("*.css"):
                self.assertNotRegex(style.read_text(), r"@import|url\(['\"]?https?:")

    def test_a_broken_link_ends_it(self):
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder) / "megascale"
            for part in ("docs", "include", "scripts", "examples", "configs", "clusters", "bench/hiding", "tests/compatibility"):
                shutil.copytree(ROOT / part, copy / part)
            for part in ("README.md", "SECURITY.md", "LICENSE"):
                shutil.copy(ROOT / part, copy / part)
            page = copy / "docs/start-here.md"
            page.write_text(page.read_text() + "\n[one](none.md) [two](limits.md#no-such-heading)\n")
            done = subprocess.run([copy / "scripts/site"], capture_output=True, text=True)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("docs/start-here.md: link to none.md: no such file", done.stderr)
            self.assertNotIn("docs/limits.md", done.stderr)
            self.assertIn("docs/start-here.html: link to ../docs/limits.html#no-such-heading: no such place", done.stderr)


if __name__ == "__main__":
    unittest.main()
