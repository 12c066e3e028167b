"""The parts of a scenario that all kinds of faults share."""
import time
from dataclasses import dataclass, field


@dataclass
class Seen:
    """What a scenario injected, and the incidents that must be recorded: (rule, rank), None for any. `faults`: the moments."""
    incidents: list = field(default_factory=list)
    faults: list = field(default_factory=list)
    any_incidents: bool = False  # those of silence may or may not be recorded
    back: list = field(default_factory=list)  # seconds from the end of a driver until the next one knows of new steps


KINDS = {}


def kind(function):
    KINDS[function.__name__] = function
    return function


def a_while(chance, seconds=0.15):
    time.sleep(chance.uniform(0, seconds))
