"""The games as environments of Gymnasium.

    import agent_arcade, gymnasium

    env = gymnasium.make("AgentArcade/Flappybots-v0")
    envs = gymnasium.make_vec("AgentArcade/Flappybots-v0", num_envs=64)   # all runs in one process
"""

import gymnasium
import numpy
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from .training import Training, to_list, to_seed

IDS = {"AgentArcade/Flappybots-v0": "flappybots", "AgentArcade/Shellrunners-v0": "shellrunners"}


def register_games():
    for name, game in IDS.items():
        if name not in gymnasium.registry:
            module = __name__
            gymnasium.register(
                name,
                entry_point=f"{module}:ArcadeEnv",
                vector_entry_point=f"{module}:ArcadeVectorEnv",
                kwargs={"game": game},
            )


def make_spaces(training):
    low, high = (numpy.array([field[end] for field in training.observation_fields], numpy.float32) for end in ("low", "high"))
    return spaces.Box(low, high, dtype=numpy.float32), spaces.Discrete(len(training.actions))


def refuse_render_mode(render_mode):
    if render_mode is not None:
        raise ValueError(f"expected render_mode None, received {render_mode!r}: environments draw no pictures; the site does")


class ArcadeEnv(gymnasium.Env):
    """One run after another. `training.observation_fields` and `training.actions` explain the numbers."""

    metadata = {"render_modes": []}

    def __init__(self, game, render_mode=None, ticks_per_step=1):
        refuse_render_mode(render_mode)
        self.render_mode = None
        self.training = Training(game, None, ticks_per_step)
        self.observation_space, self.action_space = make_spaces(self.training)

    def reset(self, *, seed=None, options=None):
        """Begins a run with this seed, or with the next one from `np_random`."""
        seed = None if seed is None else to_seed(seed)
        super().reset(seed=seed)
        course = int(self.np_random.integers(2**32)) if seed is None else seed
        return numpy.frombuffer(self.training.reset([course]), numpy.float32).copy(), {"score": 0}

    def step(self, action):
        observations, rewards, scores, terminated, truncated, _ = self.training.step([action])
        observation = numpy.frombuffer(observations, numpy.float32).copy()
        return observation, rewards[0], terminated[0] == 1, truncated[0] == 1, {"score": int(scores[0])}

    def close(self):
        self.training.close()


class ArcadeVectorEnv(VectorEnv):
    """Many runs in one process. A run that ends restarts in the same step (`AutoresetMode.SAME_STEP`)."""

    metadata = {"render_modes": [], "autoreset_mode": AutoresetMode.SAME_STEP}

    def __init__(self, game, num_envs=1, render_mode=None, ticks_per_step=1):
        refuse_render_mode(render_mode)
        self.render_mode = None
        self.training = Training(game, num_envs, ticks_per_step)
        self.num_envs = self.training.runs
        self.single_observation_space, self.single_action_space = make_spaces(self.training)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)

    def _to_rows(self, observations):
        return numpy.frombuffer(observations, numpy.float32).reshape(-1, len(self.training.observation_fields)).copy()

    def reset(self, *, seed=None, options=None):
        """`seed`: the first run's number (each further run gets the next one), or a list with one per run (None: random)."""
        seeds = None if seed is None else to_list(seed)
        if seeds is None:
            first = None if seed is None else to_seed(seed)
            super().reset(seed=first)
            first = int(self.np_random.integers(2**32)) if first is None else first
            seeds = [(first + run) % 2**32 for run in range(self.num_envs)]
        seeds = [int(self.np_random.integers(2**32)) if each is None else each for each in seeds]
        return self._to_rows(self.training.reset(seeds)), {}

    def step(self, actions):
        """The infos have `final_obs` and `final_info` of ended runs, with masks, as in Gymnasium's environments."""
        step = self.training.step(actions)
        terminated, truncated = (numpy.frombuffer(ends, numpy.bool_).copy() for ends in (step.terminated, step.truncated))
        infos = {}
        if step.final_observations.nbytes:
            ended = terminated | truncated
            final_obs = numpy.full(self.num_envs, None, dtype=object)
            for run, observation in zip(numpy.flatnonzero(ended), self._to_rows(step.final_observations)):
                final_obs[run] = observation
            scores = numpy.frombuffer(step.scores, numpy.float32).astype(numpy.int64)
            final_info = {"score": scores, "_score": ended}
            infos = {"final_obs": final_obs, "_final_obs": ended, "final_info": final_info, "_final_info": ended}
        rewards = numpy.frombuffer(step.rewards, numpy.float32).astype(numpy.float64)
        return self._to_rows(step.observations), rewards, terminated, truncated, infos

    def close_extras(self, **kwargs):
        self.training.close()
