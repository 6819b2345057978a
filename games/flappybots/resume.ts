/** The state behind a frame of flappybots, with no gate beyond those that the frame shows. */
import { BEATS_PER_SECOND, beatsPerTick } from "../fixed.ts";
import type { Entity, PlayFrame } from "../game.ts";
import { msToBeats, readIntegers } from "../resume.ts";
import type { FlappybotsState, LossReason } from "./sim.ts";
import { createUnknownCourse, type Gate, type Item, PAWN } from "./world.ts";

const EXACT_FIELDS = ["tickHz", "y", "velocityY", "distanceSub", "hungerSub"] as const;

/** Throws `RangeError` for a frame of another game or of other rules. */
export function resume(frame: PlayFrame): FlappybotsState {
  const { tickHz, y, velocityY, distanceSub, hungerSub } = readIntegers(frame.exact, EXACT_FIELDS);
  const { distance, streak, gatesPassed } = readIntegers(frame, ["distance", "streak", "gatesPassed"]);
  const gates: Gate[] = [];
  const items: Item[] = [];
  for (const entity of frame.entities) {
    const at = entity.x - PAWN.x + distance;
    if (entity.kind === "gate") gates.push(toGate(entity, at));
    else if (entity.kind === "battery" || entity.kind === "gear")
      items.push({ id: entity.id, kind: entity.kind, at, y: entity.y });
  }
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
    y,
    velocityY,
    hungerSub,
    safeBeats: msToBeats(Number(frame.invulnerableMs)),
    streak,
    gatesPassed,
    flapped: frame.latestAction === "FLAP",
    gameOverReason: (frame.gameOverReason ?? null) as LossReason | null,
    course: createUnknownCourse(),
    gates,
    gatesBehind: gates.filter(({ at }) => at <= distance).length,
    items,
  };
}

function toGate(entity: Entity, at: number): Gate {
  const { id, y, middleY = y, swing = 0, periodBeats = BEATS_PER_SECOND, phaseBeats = 0 } = entity;
  return {
    id,
    at,
    y: Number(middleY),
    gap: Number(entity.gapBottomY) - Number(entity.gapTopY),
    swing: Number(swing),
    periodBeats: Number(periodBeats),
    phaseBeats: Number(phaseBeats),
  };
}
