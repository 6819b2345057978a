"""The games' own rules, one tick at a time, without a server. Needs Node 20 or later; nothing else.

    with Training("flappybots") as training:
        observation = training.reset([1])
        step = training.step([1])        # observations, rewards, scores, terminated, truncated, final_observations

    Training("flappybots", 64)           # 64 runs side by side in one message; each restarts when it ends
    Training("flappybots", ticks_per_step=4)   # the action is sent in the first of 4 ticks

All results are memoryviews, run after run: 32-bit floats, and bytes for terminated and truncated.
`numpy.frombuffer(step.observations, numpy.float32)` copies nothing. `observation_fields` names each number of an
observation with its range and unit, `actions` lists the messages behind the actions.
"""

import json
import operator
import os
import struct
import subprocess
import weakref
from collections import namedtuple
from pathlib import Path

RULES = Path(__file__).resolve().with_name("rules.mjs")
RUNS_MAX = 4096
Step = namedtuple("Step", "observations rewards scores terminated truncated final_observations")


def shorten(value):
    """A value for an error message, in one line."""
    text = " ".join(repr(value).split())
    return text if len(text) <= 80 else text[:77] + "..."


def to_seed(seed):
    """A whole number (Python's or numpy's) from 0 to 2**32 - 1. The same seed gives the same run as makeEnv in TypeScript."""
    try:
        number = operator.index(seed)
    except TypeError:
        number = -1
    if not 0 <= number < 2**32:
        raise ValueError(f"expected a seed from 0 to {2**32 - 1}, received {shorten(seed)}")
    return number


def to_list(values):
    """The numbers of a list, a numpy array or bytes; None if they are not contiguous."""
    try:
        numbers = values.tolist() if hasattr(values, "tolist") else list(values)
    except TypeError:
        return None
    return numbers if isinstance(numbers, list) else None


class Training:
    """One run (without `runs`), or many runs side by side; each restarts in the step that ends it."""

    def __init__(self, game, runs=None, ticks_per_step=1):
        self.runs = 1 if runs is None else operator.index(runs)
        if not 1 <= self.runs <= RUNS_MAX:
            raise ValueError(f"expected 1 to {RUNS_MAX} runs, received {shorten(runs)}")
        self.is_single = runs is None
        self._is_running = False
        self._process = start_rules([str(game), str(operator.index(ticks_per_step))] + ([] if runs is None else [str(self.runs)]))
        self._end = weakref.finalize(self, end_process, self._process)
        # Unbuffered, by descriptor: a small step takes half the time.
        self._input, self._output = self._process.stdin.fileno(), self._process.stdout.fileno()
        head = self._process.stdout.readline()
        if not head:
            reason = self._read_failure()
            raise ValueError(reason) if self._process.returncode == 2 else RuntimeError(f"Node ended: {reason}")
        head = json.loads(head)
        self.observation_fields, self.actions, self.tick_hz = head["observationFields"], head["actions"], head["tickHz"]
        self.ticks_per_step = head["ticksPerStep"]
        self._observation_size = 4 * len(self.observation_fields)
        sizes = [self.runs * size for size in (self._observation_size, 4, 4, 1, 1)]
        self._ends = [sum(sizes[: count + 1]) for count in range(len(sizes))]

    def _write(self, request):
        if not self._end.alive:
            raise RuntimeError("the environment is closed")
        try:
            sent = os.write(self._input, request)
            while sent < len(request):
                sent += os.write(self._input, request[sent:])
        except BrokenPipeError:
            raise RuntimeError(self._read_failure()) from None

    def _read(self, size):
        answer = os.read(self._output, size)
        while len(answer) < size:
            more = os.read(self._output, size - len(answer))
            if not more:
                raise RuntimeError(self._read_failure())
            answer += more
        return memoryview(answer)

    def _read_failure(self):
        reason = self._process.stderr.read().decode(errors="replace").strip()
        self._process.wait()
        self.close()
        return reason or "the process with the rules was stopped"

    def reset(self, seeds):
        """Starts all runs, with one seed for each. Returns their observations."""
        numbers = to_list(seeds)
        if numbers is None or len(numbers) != self.runs:
            raise ValueError(f"expected {self.runs} seeds, received {shorten(seeds)}")
        self._write(b"r" + struct.pack(f"<{self.runs}I", *map(to_seed, numbers)))
        self._is_running = True
        return self._read(self._ends[0]).cast("f")

    def encode(self, actions):
        """One byte for each action."""
        numbers = to_list(actions)
        try:
            encoded = b"" if numbers is None else bytes(numbers)
        except (TypeError, ValueError):
            encoded = b""
        if len(encoded) != self.runs or max(encoded) >= len(self.actions):
            last = len(self.actions) - 1
            expected = f"an action from 0 to {last}" if self.runs == 1 else f"{self.runs} actions from 0 to {last}"
            received = actions[0] if self.is_single and numbers is not None and len(numbers) == 1 else actions
            raise ValueError(f"expected {expected} (whole numbers), received {shorten(received)}")
        return encoded

    def step(self, actions):
        """Plays one step of each run. `actions`: one per run, as a list, bytes or a numpy array."""
        return self.step_encoded(self.encode(actions))

    def step_encoded(self, actions):
        if not self._is_running:
            raise RuntimeError("no run has begun: call reset first")
        self._write(b"s" + actions)
        ends = self._ends
        answer = self._read(ends[4])
        terminated, truncated = answer[ends[2] : ends[3]], answer[ends[3] :]
        floats = answer[: ends[2]].cast("f")
        first, second = ends[0] // 4, ends[1] // 4
        ended = 0
        if self.is_single:
            self._is_running = not (terminated[0] or truncated[0])
        else:
            ended = self.runs - bytes(map(operator.or_, terminated, truncated)).count(0)
        final = self._read(ended * self._observation_size).cast("f") if ended else floats[:0]
        return Step(floats[:first], floats[first:second], floats[second:], terminated, truncated, final)

    def close(self):
        """Ends the process with the rules; a second call does nothing."""
        self._end()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def end_process(process):
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout, process.stderr):
        pipe.close()


def start_rules(arguments):
    """Starts Node with the rules: the program in ARCADE_NODE, or `node` in the PATH."""
    node = os.environ.get("ARCADE_NODE", "node")
    if not RULES.exists():
        raise RuntimeError("the package has no rules: run `npm run pack:python` in the repository, or install the wheel")
    pipe = subprocess.PIPE
    try:
        return subprocess.Popen([node, str(RULES), *arguments], stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0)
    except FileNotFoundError:
        raise RuntimeError(f"{node} was not found: install Node 20 or later, or set its path in ARCADE_NODE") from None
