"""A short training with Gymnasium and numpy: three numbers, found by the cross-entropy method."""

import agent_arcade
import gymnasium
import numpy

PLAYERS, ROUNDS, BEST = 64, 5, 12
envs = gymnasium.make_vec("AgentArcade/Flappybots-v0", num_envs=PLAYERS)
names = [field["name"] for field in envs.unwrapped.training.observation_fields]
at = {name: names.index(name) for name in ("y", "velocityY", "gate1TopY", "gate1BottomY")}


def play(weights, seed):
    """The score of the first run of each player: FLAP (action 0) when below an aim in the next opening."""
    observations, _ = envs.reset(seed=seed)
    scores = numpy.zeros(PLAYERS)
    running = numpy.ones(PLAYERS, bool)
    for _ in range(3000):
        y, velocity, top, bottom = (observations[:, at[name]] for name in at)
        aim = top + (bottom - top) * weights[:, 0] + 10 * weights[:, 1]
        observations, rewards, ended, _, _ = envs.step(numpy.where(y + velocity * weights[:, 2] / 10 > aim, 0, 1))
        scores += rewards * running
        running &= ~ended
        if not running.any():
            break
    return scores


random = numpy.random.default_rng(1)
mean, spread = numpy.zeros(3), numpy.ones(3)
medians = []
for number in range(ROUNDS):
    weights = mean + spread * random.standard_normal((PLAYERS, 3))
    scores = play(weights, 1000 * number)
    best = weights[numpy.argsort(scores)[-BEST:]]
    mean, spread = best.mean(0), best.std(0) + 0.05
    medians.append(float(numpy.median(scores)))
trained = float(numpy.median(play(numpy.tile(mean, (PLAYERS, 1)), 10**6)))
envs.close()
print(f"medians {medians}, trained {trained}")
assert trained > 300 and trained > 5 * medians[0], "the training found nothing"
