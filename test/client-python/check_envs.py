"""What Gymnasium and its users ask of an environment; a warning of a checker is a failure."""

import json
import sys
import warnings

warnings.simplefilter("error")

import agent_arcade
import gymnasium
import numpy
from gymnasium.utils.env_checker import check_env
from gymnasium.wrappers import TimeLimit

CHECKERS = {"gymnasium": check_env}
if "stable_baselines3" in sys.argv:
    from stable_baselines3.common.env_checker import check_env as check_by_baselines

    CHECKERS["stable_baselines3"] = check_by_baselines


def refused(call, error=ValueError):
    try:
        call()
    except error as caught:
        return str(caught)
    raise AssertionError("it was accepted")


def check_single(name):
    env = gymnasium.make(name).unwrapped
    for check in CHECKERS.values():
        checked = gymnasium.make(name)
        check(checked.unwrapped)
        checked.close()
    first, _ = env.reset(seed=numpy.int64(5))
    second, _ = env.reset()
    for again in (5, numpy.uint32(5), numpy.array(5)):
        assert numpy.array_equal(env.reset(seed=again)[0], first)
    assert numpy.array_equal(env.reset()[0], second) and first.dtype == numpy.float32
    for action in (1, numpy.int64(1), numpy.int8(1), numpy.array(1)):
        observation, reward, terminated, truncated, info = env.step(action)
    assert type(reward) is float and type(terminated) is bool and type(truncated) is bool and type(info["score"]) is int
    for action in (numpy.int64(9), numpy.array([1, 1]), numpy.float64(1), "1"):
        assert "whole numbers" in refused(lambda: env.step(action))
    assert "seed" in refused(lambda: env.reset(seed="x"))
    env.close()
    env.close()
    limited = TimeLimit(gymnasium.make(name), 3)
    limited.reset(seed=1)
    assert [limited.step(1)[3] for _ in range(3)] == [False, False, True]
    limited.close()


def check_vector(name):
    envs = gymnasium.make_vec(name, num_envs=8)
    single = gymnasium.make(name).unwrapped
    observations, _ = envs.reset(seed=3)
    for run in range(8):
        assert numpy.array_equal(observations[run], single.reset(seed=3 + run)[0])
    assert numpy.array_equal(envs.reset(seed=[3, 4, 5, 6, 7, 8, 9, 10])[0], observations)
    envs.reset(seed=3)
    # Run 7 of eight, and the same run alone: the same to its end.
    expected, _ = single.reset(seed=10)
    for tick in range(4000):
        actions = numpy.full(8, tick % 2)
        observations, rewards, terminated, truncated, infos = envs.step(actions)
        expected, reward, ended, _, info = single.step(actions[7])
        assert rewards[7] == reward and terminated[7] == ended
        if ended:
            assert numpy.array_equal(infos["final_obs"][7], expected) and infos["final_info"]["score"][7] == info["score"]
            break
        assert numpy.array_equal(observations[7], expected)
    assert ended
    for dtype in (numpy.int64, numpy.int32, numpy.uint8, numpy.bool_):
        envs.step(numpy.ones(8, dtype))
    for actions in (numpy.full(8, 9), numpy.ones(7, int), numpy.ones((8, 1), int), numpy.ones(8), numpy.array(1), 1):
        assert "8 actions" in refused(lambda: envs.step(actions))
    assert envs.observation_space.contains(observations)
    envs.close()
    single.close()


for name in ("AgentArcade/Flappybots-v0", "AgentArcade/Shellrunners-v0"):
    check_single(name)
    check_vector(name)
assert "render_mode" in refused(lambda: agent_arcade.ArcadeEnv("flappybots", render_mode="human"))
print(json.dumps({"checked": sorted(CHECKERS)}))
