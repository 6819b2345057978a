"""Agent Arcade: training environments over the games' own rules, and an agent that plays until it is paid.

    from agent_arcade import Training        # standard library and Node
    from agent_arcade import Service, play   # a running service

With Gymnasium installed, importing this package registers `AgentArcade/Flappybots-v0` and `AgentArcade/Shellrunners-v0`.
"""

from .agent import ArcadeError, Service, play
from .training import Training

try:
    import gymnasium as _gymnasium
except ImportError:
    _gymnasium = None
else:
    from .envs import ArcadeEnv, ArcadeVectorEnv, register_games

    register_games()

__all__ = ["ArcadeError", "Service", "Training", "play"]
if _gymnasium is not None:
    __all__ += ["ArcadeEnv", "ArcadeVectorEnv"]
