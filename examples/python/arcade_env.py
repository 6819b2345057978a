"""The games of Agent Arcade as environments with Gymnasium's API, without a server. Standard library only.

    env = ArcadeEnv("flappybots")                 # gymnasium.Env: reset(seed=…), step(action), spaces
    observation, info = env.reset(seed=1)
    observation, reward, terminated, truncated, info = env.step(env.action_space.sample())

    envs = ArcadeVectorEnv("flappybots", 64)      # gymnasium.vector: many runs in one message, begun again where they end
    observations, infos = envs.reset(seed=1)
    observations, rewards, terminations, truncations, infos = envs.step([0] * 64)

The rules run in Node, from this repository (`npm ci` first), behind a pipe. Observations are memoryviews of 32-bit
floats: `numpy.frombuffer(observation, numpy.float32)` does not copy, and an index works without numpy. Their fields, in
order, with range and unit, are `env.observation_fields`; the messages behind the actions are `env.actions`.

usage: python3 arcade_env.py [GAME [RUNS [STEPS]]]      prints the steps per second
"""

import json
import random
import struct
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


class Discrete:
    """The whole numbers from 0 to n - 1."""

    def __init__(self, n):
        self.n = n

    def sample(self):
        return random.randrange(self.n)

    def contains(self, value):
        return isinstance(value, int) and 0 <= value < self.n


class Box:
    """One number for each field, from low[i] to high[i]."""

    def __init__(self, low, high):
        self.low, self.high, self.shape = low, high, (len(low),)

    def sample(self):
        return [random.uniform(low, high) for low, high in zip(self.low, self.high)]

    def contains(self, values):
        return len(values) == len(self.low) and all(a <= v <= b for a, v, b in zip(self.low, values, self.high))


class MultiDiscrete:
    """A number of `Discrete(n)` for each run."""

    def __init__(self, n, count):
        self.n, self.shape = n, (count,)

    def sample(self):
        return bytes(random.choices(range(self.n), k=self.shape[0]))


class Bridge:
    """The process with the rules. scripts/training-bridge/bridge.ts describes the bytes."""

    def __init__(self, game, runs=None):
        command = ["npm", "run", "--silent", "training-bridge", "--", "--game", game]
        command += [] if runs is None else ["--runs", str(runs)]
        self.process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        head = self.process.stdout.readline()
        if not head:
            raise RuntimeError(f"the training bridge did not start: {' '.join(command)}")
        self.head = json.loads(head)
        self.runs = runs or 1
        self.fields = len(self.head["observationFields"])

    def ask(self, request, size):
        """The `size` bytes that answer a request."""
        self.process.stdin.write(request)
        self.process.stdin.flush()
        answer = self.process.stdout.read(size)
        if len(answer) < size:
            raise RuntimeError("the training bridge ended; its message is above")
        return memoryview(answer)

    def reset(self, seed):
        return self.ask(b"r" + struct.pack("<I", seed), 4 * self.runs * self.fields).cast("f")

    def step(self, actions):
        """Observations, rewards, scores, terminated, truncated."""
        runs = self.runs
        ends = [4 * runs * self.fields]
        for size in (4 * runs, 4 * runs, runs, runs):
            ends.append(ends[-1] + size)
        answer = self.ask(b"s" + bytes(actions), ends[-1])
        floats = [answer[: ends[0]], answer[ends[0] : ends[1]], answer[ends[1] : ends[2]]]
        return *(part.cast("f") for part in floats), answer[ends[2] : ends[3]], answer[ends[3] :]

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


class Environment:
    """What one run and many runs have in common: the bridge, the fields and the actions."""

    def __init__(self, game, runs=None):
        self.bridge = Bridge(game, runs)
        head = self.bridge.head
        self.observation_fields, self.actions, self.tick_hz = head["observationFields"], head["actions"], head["tickHz"]
        self.low = [field["low"] for field in self.observation_fields]
        self.high = [field["high"] for field in self.observation_fields]

    def close(self):
        self.bridge.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class ArcadeEnv(Environment):
    """One run after another, as gymnasium.Env."""

    metadata = {"render_modes": []}

    def __init__(self, game):
        super().__init__(game)
        self.action_space = Discrete(len(self.actions))
        self.observation_space = Box(self.low, self.high)

    def reset(self, *, seed=None, options=None):
        """Begins a run. The same seed gives the same run; without one it is random."""
        return self.bridge.reset(random.getrandbits(32) if seed is None else seed), {"score": 0}

    def step(self, action):
        if not self.action_space.contains(action):
            raise ValueError(f"an action is from 0 to {self.action_space.n - 1}, not {action!r}")
        observation, rewards, scores, terminated, truncated = self.bridge.step((action,))
        return observation, rewards[0], terminated[0] == 1, truncated[0] == 1, {"score": int(scores[0])}


class ArcadeVectorEnv(Environment):
    """Many runs side by side, as gymnasium.vector.VectorEnv with AutoresetMode.SAME_STEP.

    Observations are flat: those of run i begin at i * len(observation_fields). `infos["final_score"]` has the score of
    each run that ended in this step, and 0 for the others.
    """

    metadata = {"autoreset_mode": "SameStep"}

    def __init__(self, game, num_envs):
        super().__init__(game, num_envs)
        self.num_envs = num_envs
        self.single_action_space = Discrete(len(self.actions))
        self.single_observation_space = Box(self.low, self.high)
        self.action_space = MultiDiscrete(len(self.actions), num_envs)

    def reset(self, *, seed=None, options=None):
        return self.bridge.reset(random.getrandbits(32) if seed is None else seed), {}

    def step(self, actions):
        """`actions`: one for each run, as bytes or a list."""
        if len(actions) != self.num_envs or max(actions) >= self.single_action_space.n or min(actions) < 0:
            raise ValueError(f"expected {self.num_envs} actions from 0 to {self.single_action_space.n - 1}")
        observations, rewards, scores, terminated, truncated = self.bridge.step(actions)
        return observations, rewards, terminated, truncated, {"final_score": scores}


def measure(game, runs, steps):
    """Plays so many steps in all from seed 0 on: steps per second of wall-clock time, and the last observations."""
    # Mostly action 1, now and then 0.
    actions = bytes(0 if (step * 2654435761 & 0xFFFFFFFF) >> 28 == 0 else 1 for step in range(steps))
    with ArcadeVectorEnv(game, runs) as envs:
        observations, _ = envs.reset(seed=0)
        started = time.perf_counter()
        for begin in range(0, steps, runs):
            observations = envs.step(actions[begin : begin + runs])[0]
        return steps / (time.perf_counter() - started), observations.tobytes().hex()


if __name__ == "__main__":
    game = sys.argv[1] if len(sys.argv) > 1 else "flappybots"
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else 256
    steps = int(sys.argv[3]) if len(sys.argv) > 3 else runs * 2000
    steps_per_second, observations = measure(game, runs, steps)
    print(json.dumps({"game": game, "stepsPerSecond": round(steps_per_second), "observations": observations}))
