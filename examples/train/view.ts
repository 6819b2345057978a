/** What the policy sees, from an observation of the environment and from a frame of the game. */

import type { PlayFrame } from "../../client/index.ts";
import type { Env } from "../../client/training/index.ts";

/** Positions in units from the ceiling, distances in units ahead of the bot, velocities in units per second. */
export interface View {
  y: number;
  velocityY: number;
  hunger: number;
  speed: number;
  gate1Ahead: number;
  gate1TopY: number;
  gate1BottomY: number;
  gate1VelocityY: number;
  /** `Infinity` if unknown, as for the items. */
  gate2Ahead: number;
  gate2TopY: number;
  gate2BottomY: number;
  gate2VelocityY: number;
  batteryAhead: number;
  batteryY: number;
  gearAhead: number;
  gearY: number;
}

/** Whether a thing is known, and the distance that depends on it. */
const SEEN_FIELDS = { gate2Ahead: "gate2Seen", batteryAhead: "batterySeen", gearAhead: "gearSeen" } as const;
const NAMES = [
  ...["y", "velocityY", "hunger", "speed", "gate1Ahead", "gate1TopY", "gate1BottomY", "gate1VelocityY"],
  ...["gate2Ahead", "gate2TopY", "gate2BottomY", "gate2VelocityY", "batteryAhead", "batteryY", "gearAhead", "gearY"],
] as readonly (keyof View)[];

/** Reads the observations of an environment, always into the same view. */
export function createObservationReader({ observationFields }: Pick<Env, "observationFields">) {
  const places = new Map(observationFields.map(({ name }, index) => [name, index]));
  const rows = NAMES.map((name) => ({
    name,
    at: places.get(name)!,
    seenAt: Object.hasOwn(SEEN_FIELDS, name) ? places.get(SEEN_FIELDS[name as keyof typeof SEEN_FIELDS])! : null,
  }));
  const view = {} as View;
  return (observation: Float32Array): View => {
    for (const { name, at, seenAt } of rows)
      view[name] = seenAt !== null && observation[seenAt] === 0 ? Number.POSITIVE_INFINITY : observation[at]!;
    return view;
  };
}

/** A thing counts until its far edge is behind the bot, as in the observation. */
const PASSED_DISTANCE = -50;
const UNKNOWN = { ahead: Number.POSITIVE_INFINITY, y: 0, gapTopY: 0, gapBottomY: 0, vy: 0 };

/** The same view from a frame of the play channel. */
export function toView({ pawn, hunger, speed, entities }: PlayFrame): View {
  const things = entities.map((entity) => ({ ...UNKNOWN, ...entity, ahead: entity.x - pawn.x }));
  const list = (kind: string) =>
    things.filter((thing) => thing.kind === kind && thing.ahead >= PASSED_DISTANCE).sort((a, b) => a.ahead - b.ahead);
  const [gate1 = UNKNOWN, gate2 = UNKNOWN] = list("gate");
  const [battery = UNKNOWN] = list("battery");
  const [gear = UNKNOWN] = list("gear");
  return {
    y: pawn.y,
    velocityY: Number(pawn.velocityY),
    hunger,
    speed: Number(speed),
    gate1Ahead: gate1.ahead,
    gate1TopY: gate1.gapTopY,
    gate1BottomY: gate1.gapBottomY,
    gate1VelocityY: gate1.vy,
    gate2Ahead: gate2.ahead,
    gate2TopY: gate2.gapTopY,
    gate2BottomY: gate2.gapBottomY,
    gate2VelocityY: gate2.vy,
    batteryAhead: battery.ahead,
    batteryY: battery.y,
    gearAhead: gear.ahead,
    gearY: gear.y,
  };
}
