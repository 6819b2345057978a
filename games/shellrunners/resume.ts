/** The state behind a frame of shellrunners, with nothing on the bank beyond what the frame shows. */
import { BEATS_PER_SECOND, beatsPerTick } from "../fixed.ts";
import type { Entity, PlayFrame } from "../game.ts";
import { msToBeats, readIntegers } from "../resume.ts";
import type { LossReason, ShellrunnersState } from "./state.ts";
import { CONTACT_DISTANCE, createUnknownCourse, PAWN, type Thing, type ThingKind, UNKNOWN_CLEARANCE } from "./world.ts";

const EXACT_FIELDS = ["tickHz", "x", "velocityX", "distanceSub", "hungerSub"] as const;
const DIRECTIONS = { left: -1, none: 0, right: 1 } as const;

/** Throws `RangeError` for a frame of another game or of other rules. */
export function resume(frame: PlayFrame): ShellrunnersState {
  const { tickHz, x, velocityX, distanceSub, hungerSub } = readIntegers(frame.exact, EXACT_FIELDS);
  const { distance, streak, nearMisses } = readIntegers(frame, ["distance", "streak", "nearMisses"]);
  const { speedMs, shieldMs, slowMs } = readIntegers(frame.powerUps, ["speedMs", "shieldMs", "slowMs"]);
  const things = frame.entities.map((entity) => toThing(entity, distance));
  return {
    tick: frame.tick,
    tickHz,
    lives: frame.lives,
    score: frame.score.current,
    hunger: frame.hunger,
    over: frame.lives === 0,
    events: [],
    clockBeats: frame.tick * beatsPerTick(tickHz),
    distance,
    distanceSub,
    x,
    velocityX,
    dir: DIRECTIONS[frame.pawn.dir as keyof typeof DIRECTIONS],
    hungerSub,
    safeBeats: msToBeats(Number(frame.invulnerableMs)),
    speedBeats: msToBeats(speedMs),
    shieldBeats: msToBeats(shieldMs),
    slowBeats: msToBeats(slowMs),
    streak,
    nearMisses,
    gameOverReason: (frame.gameOverReason ?? null) as LossReason | null,
    course: createUnknownCourse(),
    things,
    thingsBehind: things.filter(({ at }) => distance - at >= CONTACT_DISTANCE).length,
  };
}

function toThing(entity: Entity, distance: number): Thing {
  const { id, x, middleX = x, swing = 0, periodBeats = BEATS_PER_SECOND, phaseBeats = 0 } = entity;
  return {
    id,
    kind: entity.kind as ThingKind,
    at: PAWN.y - entity.y + distance,
    x: Number(middleX),
    swing: Number(swing),
    periodBeats: Number(periodBeats),
    phaseBeats: Number(phaseBeats),
    clearance: Number(entity.clearance ?? UNKNOWN_CLEARANCE),
  };
}
