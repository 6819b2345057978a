/** What a shellrunners player sees of a state: whole world units, origin top left. */
import { BEATS_PER_SECOND, beatsToMs, toUnits, triangleVelocity } from "../../fixed.ts";
import type { Entity, EntityClass, GameFrame } from "../../game.ts";
import { getMultiplier, getScrollSpeed } from "./sim.ts";
import type { ShellrunnersState } from "./state.ts";
import { getThingX, HUNGER_MAX, LIVES_MAX, PAWN, SIZES, type Thing, type ThingKind } from "./world.ts";

const ENTITY_CLASSES: { readonly [kind in ThingKind]: EntityClass } = {
  rock: "obstacle",
  log: "obstacle",
  starfish: "food",
  pearl: "collectible",
  power_speed: "powerup",
  power_shield: "powerup",
  power_slow: "powerup",
};

const DIRECTIONS = ["left", "none", "right"] as const;

export function frame(state: ShellrunnersState): GameFrame {
  const x = toUnits(state.x);
  const entities: Entity[] = [];
  for (const thing of state.things) entities.push(toEntity(thing, state));
  return {
    tick: state.tick,
    score: state.score,
    lives: state.lives,
    livesMax: LIVES_MAX,
    hunger: state.hunger,
    hungerMax: HUNGER_MAX,
    pawn: {
      x,
      y: PAWN.y,
      w: PAWN.w,
      h: PAWN.h,
      velocityX: Math.trunc(state.velocityX / BEATS_PER_SECOND),
      dir: DIRECTIONS[state.dir + 1]!,
    },
    entities,
    extra: {
      speed: getScrollSpeed(state),
      distance: state.distance,
      streak: state.streak,
      nearMisses: state.nearMisses,
      multiplier: getMultiplier(state),
      powerUps: {
        speedMs: beatsToMs(state.speedBeats),
        shieldMs: beatsToMs(state.shieldBeats),
        slowMs: beatsToMs(state.slowBeats),
      },
      invulnerableMs: beatsToMs(state.safeBeats),
      gameOverReason: state.gameOverReason,
    },
  };
}

function toEntity(thing: Thing, state: ShellrunnersState): Entity {
  const size = SIZES[thing.kind];
  const base = {
    id: thing.id,
    kind: thing.kind,
    class: ENTITY_CLASSES[thing.kind],
    x: getThingX(thing, state.clockBeats),
    y: PAWN.y - thing.at + state.distance,
    w: size.w,
    h: size.h,
  };
  if (thing.swing === 0) return base;
  return { ...base, vx: triangleVelocity(state.clockBeats + thing.phaseBeats, thing.periodBeats, thing.swing) };
}
