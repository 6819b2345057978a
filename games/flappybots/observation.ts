/** A flappybots state as numbers, for learners. */
import { BEATS_PER_SECOND, toUnits } from "../fixed.ts";
import type { Observation, ObservationField } from "../game.ts";
import { getGapEdges, getGateVelocity } from "./frame.ts";
import type { FlappybotsState } from "./sim.ts";
import {
  FALL_SPEED_MAX,
  FLAP_SPEED,
  GATE_SPACING,
  type Gate,
  getGateY,
  getScrollSpeed,
  HORIZON,
  HUNGER_MAX,
  type Item,
  LIVES_MAX,
  PAWN,
  PIPE,
  SAFE_BEATS,
  SPEED_LIMIT,
  WORLD,
} from "./world.ts";

const GATES = 2;
const GATE_FIELDS = 5;
/** A gate or an item counts until its far edge is behind the bot. */
const PASSED_DISTANCE = -(PIPE.w + PAWN.w) / 2;
const AHEAD_MAX = HORIZON + GATE_SPACING;
/** A gate swings at most 76 units in a quarter of at least 40 beats. */
const GATE_SPEED_MAX = 114;

const gateFields = (number: number): ObservationField[] => [
  {
    name: `gate${number}Seen`,
    low: 0,
    high: 1,
    description: `1 where gate ${number} ahead is known, else 0 and its other fields are 0.`,
  },
  {
    name: `gate${number}Ahead`,
    low: PASSED_DISTANCE,
    high: AHEAD_MAX,
    description: `Units from the bot to the center of gate ${number}.`,
  },
  {
    name: `gate${number}TopY`,
    low: 0,
    high: WORLD.height,
    description: `Upper edge of its opening, in units from the ceiling.`,
  },
  { name: `gate${number}BottomY`, low: 0, high: WORLD.height, description: "Lower edge of its opening." },
  {
    name: `gate${number}VelocityY`,
    low: -GATE_SPEED_MAX,
    high: GATE_SPEED_MAX,
    description: "Units per second at which it moves down.",
  },
];

const itemFields = (kind: Item["kind"]): ObservationField[] => [
  { name: `${kind}Seen`, low: 0, high: 1, description: `1 where a ${kind} is ahead, else 0 and the next two are 0.` },
  {
    name: `${kind}Ahead`,
    low: PASSED_DISTANCE,
    high: AHEAD_MAX,
    description: `Units from the bot to the next ${kind}.`,
  },
  {
    name: `${kind}Y`,
    low: 0,
    high: WORLD.height,
    description: `Center of the next ${kind}, in units from the ceiling.`,
  },
];

function writeGate(state: FlappybotsState, gate: Gate, out: Float32Array, at: number): void {
  const { top, bottom } = getGapEdges(gate, getGateY(gate, state.clockBeats));
  out[at] = 1;
  out[at + 1] = gate.at - state.distance;
  out[at + 2] = top;
  out[at + 3] = bottom;
  out[at + 4] = getGateVelocity(gate, state.clockBeats);
}

function writeItem(state: FlappybotsState, kind: Item["kind"], out: Float32Array, at: number): void {
  for (const item of state.items) {
    const ahead = item.at - state.distance;
    if (item.kind !== kind || ahead < PASSED_DISTANCE) continue;
    out[at] = 1;
    out[at + 1] = ahead;
    out[at + 2] = item.y;
    return;
  }
  out.fill(0, at, at + 3);
}

export const observation: Observation<FlappybotsState> = {
  fields: [
    { name: "y", low: 0, high: WORLD.height, description: "Center of the bot, in units from the ceiling." },
    { name: "velocityY", low: -FLAP_SPEED, high: FALL_SPEED_MAX, description: "Units per second; positive falls." },
    { name: "lives", low: 0, high: LIVES_MAX, description: "Lives left." },
    { name: "hunger", low: 0, high: HUNGER_MAX, description: "Hunger; at its highest it costs a life." },
    {
      name: "invulnerableSeconds",
      low: 0,
      high: SAFE_BEATS / BEATS_PER_SECOND,
      description: "Seconds left in which only starvation costs a life.",
    },
    { name: "speed", low: 150, high: SPEED_LIMIT, description: "Units per second at which the world comes by." },
    ...Array.from({ length: GATES }, (_, index) => gateFields(index + 1)).flat(),
    ...itemFields("battery"),
    ...itemFields("gear"),
  ],
  write(state, out, offset) {
    out[offset] = toUnits(state.y);
    out[offset + 1] = Math.trunc(state.velocityY / BEATS_PER_SECOND);
    out[offset + 2] = state.lives;
    out[offset + 3] = state.hunger;
    out[offset + 4] = state.safeBeats / BEATS_PER_SECOND;
    out[offset + 5] = getScrollSpeed(state.distance);
    const end = offset + 6 + GATES * GATE_FIELDS;
    let at = offset + 6;
    for (let i = 0; i < state.gates.length && at < end; i += 1) {
      const gate = state.gates[i]!;
      if (gate.at - state.distance < PASSED_DISTANCE) continue;
      writeGate(state, gate, out, at);
      at += GATE_FIELDS;
    }
    out.fill(0, at, end);
    writeItem(state, "battery", out, end);
    writeItem(state, "gear", out, end + 3);
  },
};
