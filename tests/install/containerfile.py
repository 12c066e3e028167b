"""Reads a Containerfile into its stages."""
import json
import re


class Stage:
    def __init__(self, base, name):
        self.base, self.name, self.steps = base, name, []  # steps: (instruction, argument)

    def commands(self):
        return [argument for instruction, argument in self.steps if instruction == "RUN"]


def stages(text):
    """Lines that end with a backslash go on; comments are left out. An unknown instruction is an error."""
    text = re.sub(r"^\s*#.*\n", "", text, flags=re.M)
    found = []
    for line in re.sub(r"\\\n", " ", text).splitlines():
        if not line.strip():
            continue
        instruction, _, argument = line.strip().partition(" ")
        argument = argument.strip()
        if instruction == "FROM":
            words = argument.split()
            if len(words) not in (1, 3) or (len(words) == 3 and words[1] != "AS"):
                raise ValueError(f"expected FROM IMAGE [AS NAME], found {line}")
            found.append(Stage(words[0], words[2] if len(words) == 3 else None))
        elif not found:
            raise ValueError(f"expected FROM first, found {line}")
        elif instruction in ("RUN", "COPY", "WORKDIR"):
            found[-1].steps.append((instruction, argument))
        elif instruction in ("ENTRYPOINT", "CMD"):
            found[-1].steps.append((instruction, json.loads(argument)))
        else:
            raise ValueError(f"expected an instruction that this reader knows, found {line}")
    return found
