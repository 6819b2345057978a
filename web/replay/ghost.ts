/** What the reference bot would have done in the seconds before a lost life, from the same state of the same course. */
import { toInputCodes } from "../../client/training/input-codes.ts";
import type { GameState, PlayFrame } from "../../games/game.ts";
import { toPlayFrame } from "../../games/play-frame.ts";
import type { Recording } from "./recording.ts";

/** How long before a lost life its ghost, and a seek to it, starts. */
export const LEAD_IN_SECONDS = 3;

export interface Ghost {
  readonly startTick: number;
  /** The tick in which the life is lost. */
  readonly endTick: number;
  /** At every tick from the first to the last one. */
  readonly pawns: readonly PlayFrame["pawn"][];
  /** Whether the bot still has the life at `endTick`. */
  readonly survives: boolean;
}

const isLost = ({ events }: GameState): boolean => events.some(({ event }) => event === "life_lost");

function playGhost(recording: Recording, startTick: number, endTick: number): Ghost {
  const { game } = recording;
  const bot = game.bots.reference();
  const state = recording.stateAt(startTick);
  const pawns = [game.frame(state).pawn];
  let survives = true;
  while (state.tick < endTick && survives) {
    game.step(state, toInputCodes(game, bot(toPlayFrame(game, state))));
    pawns.push(game.frame(state).pawn);
    survives = !isLost(state) && !state.over;
  }
  return { startTick, endTick, pawns, survives };
}

/** One ghost for each lost life. None starts before the previous loss. */
export function findGhosts(recording: Recording): readonly Ghost[] {
  const ticks = recording.events.filter(({ event }) => event === "life_lost").map(({ tick }) => tick);
  return ticks.map((endTick, index) => {
    const startTick = Math.max(endTick - LEAD_IN_SECONDS * recording.tickHz, ticks[index - 1] ?? 0);
    return playGhost(recording, startTick, endTick);
  });
}

/** Where the ghost is at a position in (fractional) ticks; null outside the lead-ins, and once it has lost the life. */
export function findGhostPawn(ghosts: readonly Ghost[], position: number): PlayFrame["pawn"] | null {
  const ghost = ghosts.find(({ startTick, endTick }) => position > startTick && position <= endTick);
  if (ghost === undefined) return null;
  const index = position - ghost.startTick;
  const from = ghost.pawns[Math.floor(index)];
  const to = ghost.pawns[Math.ceil(index)];
  if (from === undefined || to === undefined) return null;
  const alpha = index - Math.floor(index);
  return { ...to, x: from.x + (to.x - from.x) * alpha, y: from.y + (to.y - from.y) * alpha };
}
