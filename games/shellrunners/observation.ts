/** A shellrunners state as numbers, for learners. */
import { BEATS_PER_SECOND, toUnits, triangleVelocity } from "../fixed.ts";
import type { Observation, ObservationField } from "../game.ts";
import { getScrollSpeed } from "./sim.ts";
import type { ShellrunnersState } from "./state.ts";
import {
  FEEDING_SPACING,
  getThingX,
  HORIZON,
  HUNGER_MAX,
  LIVES_MAX,
  PAWN,
  POWER_BEATS,
  SAFE_BEATS,
  SIDE_SPEED_MAX,
  SIZES,
  SPEED_LIMIT,
  type Thing,
  WORLD,
} from "./world.ts";

const OBSTACLES = 6;
/** An obstacle or item counts until its far edge is behind the runner. */
const PASSED_DISTANCE = -(SIZES.rock.h + PAWN.h) / 2;
const AHEAD_MAX = HORIZON + FEEDING_SPACING;
/** An obstacle swings at most 80 units in a quarter of at least 140 beats. */
const DRIFT_SPEED_MAX = 140;
const TARGETS = ["food", "pearl", "power"] as const;

const obstacleFields = (number: number): ObservationField[] => [
  {
    name: `obstacle${number}Seen`,
    low: 0,
    high: 1,
    description: `1 where obstacle ${number} ahead exists, else 0 and its other fields are 0.`,
  },
  {
    name: `obstacle${number}Ahead`,
    low: PASSED_DISTANCE,
    high: AHEAD_MAX,
    description: `Units from the runner to the center of obstacle ${number}.`,
  },
  {
    name: `obstacle${number}X`,
    low: 0,
    high: WORLD.width,
    description: `Center of obstacle ${number}, in units from the left edge.`,
  },
  { name: `obstacle${number}Width`, low: 0, high: SIZES.log.w, description: `Width of obstacle ${number}.` },
  {
    name: `obstacle${number}VelocityX`,
    low: -DRIFT_SPEED_MAX,
    high: DRIFT_SPEED_MAX,
    description: `Units per second at which obstacle ${number} drifts to the right.`,
  },
];

const targetFields = (target: (typeof TARGETS)[number]): ObservationField[] => [
  {
    name: `${target}Seen`,
    low: 0,
    high: 1,
    description: `1 where one is ahead (food: starfish, power: any power-up), else 0 and the next two are 0.`,
  },
  { name: `${target}Ahead`, low: PASSED_DISTANCE, high: AHEAD_MAX, description: "Units from the runner to it." },
  { name: `${target}X`, low: 0, high: WORLD.width, description: "Its center, in units from the left edge." },
];

const isObstacle = ({ kind }: Thing): boolean => kind === "rock" || kind === "log";

function isTarget({ kind }: Thing, target: (typeof TARGETS)[number]): boolean {
  if (target === "food") return kind === "starfish";
  if (target === "pearl") return kind === "pearl";
  return kind === "power_speed" || kind === "power_shield" || kind === "power_slow";
}

function writeObstacle(state: ShellrunnersState, thing: Thing, out: Float32Array, at: number): void {
  const { clockBeats } = state;
  out[at] = 1;
  out[at + 1] = thing.at - state.distance;
  out[at + 2] = getThingX(thing, clockBeats);
  out[at + 3] = SIZES[thing.kind].w;
  out[at + 4] = thing.swing === 0 ? 0 : triangleVelocity(clockBeats + thing.phaseBeats, thing.periodBeats, thing.swing);
}

function writeTarget(state: ShellrunnersState, target: (typeof TARGETS)[number], out: Float32Array, at: number): void {
  for (const thing of state.things) {
    const ahead = thing.at - state.distance;
    if (ahead < PASSED_DISTANCE || !isTarget(thing, target)) continue;
    out[at] = 1;
    out[at + 1] = ahead;
    out[at + 2] = getThingX(thing, state.clockBeats);
    return;
  }
  out.fill(0, at, at + 3);
}

const seconds = (beats: number): number => beats / BEATS_PER_SECOND;

export const observation: Observation<ShellrunnersState> = {
  fields: [
    { name: "x", low: 0, high: WORLD.width, description: "Center of the runner, in units from the left edge." },
    {
      name: "velocityX",
      low: -SIDE_SPEED_MAX,
      high: SIDE_SPEED_MAX,
      description: "Units per second; positive goes right.",
    },
    { name: "lives", low: 0, high: LIVES_MAX, description: "Lives left." },
    { name: "hunger", low: 0, high: HUNGER_MAX, description: "Hunger; at its highest it costs a life." },
    {
      name: "invulnerableSeconds",
      low: 0,
      high: seconds(SAFE_BEATS),
      description: "Seconds left in which only starvation costs a life.",
    },
    {
      name: "speed",
      low: 90,
      high: (SPEED_LIMIT * 5) / 4,
      description: "Units per second at which the bank comes by, with power-ups.",
    },
    {
      name: "doubleSeconds",
      low: 0,
      high: seconds(POWER_BEATS.power_speed),
      description: "Seconds left in which everything scores double.",
    },
    {
      name: "shieldSeconds",
      low: 0,
      high: seconds(POWER_BEATS.power_shield),
      description: "Seconds left of the shield.",
    },
    { name: "slowSeconds", low: 0, high: seconds(POWER_BEATS.power_slow), description: "Seconds left of slow motion." },
    ...Array.from({ length: OBSTACLES }, (_, index) => obstacleFields(index + 1)).flat(),
    ...TARGETS.flatMap(targetFields),
  ],
  write(state, out, offset) {
    out[offset] = toUnits(state.x);
    out[offset + 1] = Math.trunc(state.velocityX / BEATS_PER_SECOND);
    out[offset + 2] = state.lives;
    out[offset + 3] = state.hunger;
    out[offset + 4] = seconds(state.safeBeats);
    out[offset + 5] = getScrollSpeed(state);
    out[offset + 6] = seconds(state.speedBeats);
    out[offset + 7] = seconds(state.shieldBeats);
    out[offset + 8] = seconds(state.slowBeats);
    const end = offset + 9 + OBSTACLES * 5;
    let at = offset + 9;
    for (let i = 0; i < state.things.length && at < end; i += 1) {
      const thing = state.things[i]!;
      if (!isObstacle(thing) || thing.at - state.distance < PASSED_DISTANCE) continue;
      writeObstacle(state, thing, out, at);
      at += 5;
    }
    out.fill(0, at, end);
    for (let i = 0; i < TARGETS.length; i += 1) writeTarget(state, TARGETS[i]!, out, end + i * 3);
  },
};
