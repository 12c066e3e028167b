"""Reads the commands of a page of the documents.

A command block is a block indented by four spaces whose first word is a command (COMMANDS, or a path in scripts/, bench/ or build/).
Readers do not see HTML comments, so a comment above a block may say how the test treats it:

    <!-- first: COMMAND -->           runs COMMAND before the block, for instance to make the text that a reader would bring
    <!-- without: PREFIX: REASON -->  leaves out the lines that begin with PREFIX
    <!-- not run: REASON -->          leaves out the whole block
    <!-- file: NAME -->               the block is no command: it is written to the file NAME
"""
import re
from dataclasses import dataclass, field

COMMANDS = {"megascale", "head", "cmake", "ctest", "export", "git", "ls", "cd", "cp", "echo", "cat", "for", "mpirun", "srun", "sbatch",
            "python3", "mkdir", "sudo", "taskset", "cpack", "docker", "source", "man"}
_NOTE = re.compile(r"<!--\s*(first|without|not run|file):\s*(.*?)\s*-->")
_ASSIGNMENT = re.compile(r"^[A-Z_]+=\S*\s+")


@dataclass
class Block:
    """One block of a page: commands to run, or the contents of a file."""
    line: int  # of its first line in the page, from 1
    text: list = field(default_factory=list)
    notes: list = field(default_factory=list)  # (kind, value)

    def note(self, kind):
        return [value for of, value in self.notes if of == kind]

    def is_command(self):
        words = _first_command(self.text)
        return words in COMMANDS or words.startswith(("scripts/", "bench/", "build/"))

    def commands(self):
        """The lines to run. A line that ends with a backslash goes on in the next one."""
        if self.note("not run"):
            return []
        left_out = [value.split(":")[0].strip() for value in self.note("without")]
        return [line for line in _joined(self.text) if not any(line.strip().startswith(prefix) for prefix in left_out)]


def _first_command(lines):
    for line in lines:
        line = _ASSIGNMENT.sub("", line.strip())
        if line and not line.startswith("#"):
            return line.split()[0]
    return ""


def _joined(lines):
    whole, part = [], ""
    for line in lines:
        part += line
        if part.endswith("\\"):
            part = part[:-1] + " "
            continue
        whole.append(part)
        part = ""
    return whole + ([part] if part else [])


def blocks(text):
    """All indented blocks of a page, in order. A list item's continuation is no block: a block follows an empty line."""
    found, notes, block, blank = [], [], None, True
    for number, line in enumerate(text.splitlines(), start=1):
        note = _NOTE.fullmatch(line.strip())
        if block is not None and (line.startswith("    ") or not line.strip()):
            block.text.append(line[4:])
            continue
        block = None
        if line.startswith("    ") and blank:
            block = Block(line=number, text=[line[4:]], notes=notes)
            found.append(block)
            notes = []
        elif note:
            notes = notes + [(note.group(1), note.group(2))]
        elif line.strip():
            notes = []
        blank = not line.strip()
    for block in found:
        while not block.text[-1].strip():
            block.text.pop()
    return found


def script(page, text):
    """A shell program that runs the commands of a page in order and names the line of the first one that fails."""
    lines = ["set -euo pipefail", "trap 'echo \"FAILED: $where\" >&2' ERR"]
    for block in blocks(text):
        for name in block.note("file"):
            lines += [f"cat > '{name}' <<'END_OF_FILE'", *block.text, "END_OF_FILE"]
        if block.note("file") or not block.is_command():
            continue
        lines += [f"where='{page}:{block.line}'", *block.note("first")]
        for command in block.commands():
            lines += [f"where='{page}:{block.line}'; echo \"--- $where: \"{_quoted(command)} >&2", command]
    return "\n".join(lines) + "\n"


def _quoted(command):
    return "'" + command.strip().replace("'", "'\\''") + "'"
