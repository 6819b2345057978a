/** What a flappybots player sees of a state: whole world units, origin top left. */
import { BEATS_PER_SECOND, beatsToMs, clamp, toUnits, triangleVelocity } from "../fixed.ts";
import type { Entity, GameFrame } from "../game.ts";
import type { FlappybotsState } from "./sim.ts";
import {
  GATE_CLEAR_HEIGHT,
  type Gate,
  getGateY,
  getScrollSpeed,
  HUNGER_MAX,
  ITEM_SIZES,
  LIVES_MAX,
  PAWN,
  PIPE,
  WORLD,
} from "./world.ts";

export function frame(state: FlappybotsState): GameFrame {
  const y = toUnits(state.y);
  const velocityY = Math.trunc(state.velocityY / BEATS_PER_SECOND);
  const entities: Entity[] = [];
  for (const gate of state.gates) addGate(entities, gate, state);
  for (const item of state.items) {
    const size = ITEM_SIZES[item.kind];
    entities.push({
      id: item.id,
      kind: item.kind,
      class: item.kind === "battery" ? "food" : "collectible",
      x: PAWN.x + item.at - state.distance,
      y: item.y,
      w: size.w,
      h: size.h,
    });
  }
  return {
    tick: state.tick,
    score: state.score,
    lives: state.lives,
    livesMax: LIVES_MAX,
    hunger: state.hunger,
    hungerMax: HUNGER_MAX,
    pawn: { x: PAWN.x, y, w: PAWN.w, h: PAWN.h, velocityY },
    entities,
    extra: {
      bot: { x: PAWN.x, y, velocityY, rotation: clamp(Math.trunc(velocityY / 7), -30, 80) },
      observation: toObservation(state, y),
      latestAction: state.flapped ? "FLAP" : "NOOP",
      gameOverReason: state.gameOverReason,
      distance: state.distance,
      speed: getScrollSpeed(state.distance),
      streak: state.streak,
      gatesPassed: state.gatesPassed,
      invulnerableMs: beatsToMs(state.safeBeats),
      exact: {
        tickHz: state.tickHz,
        y: state.y,
        velocityY: state.velocityY,
        distanceSub: state.distanceSub,
        hungerSub: state.hungerSub,
      },
    },
  };
}

function addGate(entities: Entity[], gate: Gate, state: FlappybotsState): void {
  const x = PAWN.x + gate.at - state.distance;
  const y = getGateY(gate, state.clockBeats);
  const { top, bottom } = getGapEdges(gate, y);
  const vy = getGateVelocity(gate, state.clockBeats);
  entities.push(
    {
      id: gate.id,
      kind: "gate",
      class: "gate",
      x,
      y,
      w: PIPE.w,
      h: GATE_CLEAR_HEIGHT,
      vy,
      gapTopY: top,
      gapBottomY: bottom,
      ...(gate.swing !== 0 && {
        ...{ middleY: gate.y, swing: gate.swing, periodBeats: gate.periodBeats, phaseBeats: gate.phaseBeats },
      }),
    },
    { id: gate.id + 1, kind: "pipe_top", class: "obstacle", x, y: top - PIPE.h / 2, w: PIPE.w, h: PIPE.h, vy },
    { id: gate.id + 2, kind: "pipe_bottom", class: "obstacle", x, y: bottom + PIPE.h / 2, w: PIPE.w, h: PIPE.h, vy },
  );
}

/** Upper and lower edge of a gate whose opening has its center at `y`. */
export function getGapEdges(gate: Gate, y: number): { top: number; bottom: number } {
  const top = y - Math.floor(gate.gap / 2);
  return { top, bottom: top + gate.gap };
}

/** Units per second at which a gate moves down. */
export function getGateVelocity(gate: Gate, clockBeats: number): number {
  return gate.swing === 0 ? 0 : triangleVelocity(clockBeats + gate.phaseBeats, gate.periodBeats, gate.swing);
}

/** The next gate whose far edge is not behind the bot yet; there is always one within the horizon. */
function toObservation(state: FlappybotsState, y: number): GameFrame["extra"] {
  const gate = state.gates.find(({ at }) => at - state.distance + PIPE.w / 2 > -PAWN.w / 2);
  if (!gate) return {};
  const ahead = gate.at - state.distance;
  const center = getGateY(gate, state.clockBeats);
  const { top, bottom } = getGapEdges(gate, center);
  return {
    nextObstacleX: PAWN.x + ahead,
    nextGapTopY: top,
    nextGapCenterY: center,
    nextGapBottomY: bottom,
    nextGapVelocityY: getGateVelocity(gate, state.clockBeats),
    distanceToNextObstacle: Math.max(0, ahead - (PIPE.w + PAWN.w) / 2),
    distanceToGround: WORLD.height - PAWN.h / 2 - y,
    distanceToCeiling: y - PAWN.h / 2,
  };
}
