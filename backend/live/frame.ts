import type { Hex } from "viem";
import { nextSteps } from "../../domain/next-steps.ts";
import type { EndMessage, FrameMessage, HelloMessage } from "../../domain/protocol/messages.ts";
import { listScoreProblems } from "../../domain/rewards.ts";
import type { Phase } from "../../domain/session.ts";
import type { Game, GameState } from "../../games/game.ts";
import type { SessionRow } from "../ports/store/sessions.ts";

interface FrameFacts {
  readonly row: Pick<SessionRow, "sessionId" | "slug" | "tickHz" | "rulesVersion" | "seedCommitment">;
  readonly game: Game;
  readonly state: GameState;
  readonly phase: Phase;
  readonly highScore: number;
  readonly spectators: { readonly current: number; readonly max: number };
  readonly ackSeq: number | null;
  readonly inputsDigest: Hex;
}

/** The frame message with the whole state. A game's own fields never replace the common ones. */
export function buildFrame({
  row,
  game,
  state,
  phase,
  highScore,
  spectators,
  ackSeq,
  inputsDigest,
}: FrameFacts): FrameMessage {
  const { tick, score, lives, livesMax, hunger, hungerMax, pawn, entities, extra } = game.frame(state);
  return {
    t: "frame",
    frame: {
      ...extra,
      v: 1,
      sessionId: row.sessionId,
      slug: row.slug,
      tick,
      tMs: Math.round((tick * 1000) / row.tickHz),
      phase,
      score: { current: score, high: Math.max(highScore, score) },
      lives,
      livesMax,
      hunger,
      hungerMax,
      pawn,
      // The schema's type is mutable, the game's is not.
      entities: entities as FrameMessage["frame"]["entities"],
      spectators,
      ...(ackSeq === null ? {} : { ackSeq }),
      inputsDigest,
    },
  };
}

export function buildHello(
  facts: Pick<FrameFacts, "row" | "game" | "state" | "phase" | "spectators"> &
    Pick<HelloMessage, "role" | "resumed" | "pauseBudget" | "entropy" | "lockstep">,
): HelloMessage {
  const { row, game, state, phase, spectators, role, resumed, pauseBudget, entropy, lockstep } = facts;
  return {
    t: "hello",
    v: 1,
    role,
    slug: row.slug,
    sessionId: row.sessionId,
    tickHz: row.tickHz,
    phase,
    tick: state.tick,
    rulesVersion: row.rulesVersion,
    seedCommitment: row.seedCommitment,
    entropy,
    resumed,
    lockstep,
    pauseBudget,
    spectators,
    world: { ...game.world },
  };
}

/** The message at the end of a session; `row` is the stored row of the ended session. */
export function buildEnd(row: SessionRow, inputsDigest: Hex): EndMessage {
  const canBeSigned = listScoreProblems(row).length === 0;
  return {
    t: "end",
    sessionId: row.sessionId,
    score: row.score,
    endReason: row.endReason ?? "server_restart",
    replayDigest: row.replayDigest ?? "0x",
    inputsDigest,
    next: canBeSigned ? nextSteps.snapshot(row.sessionId) : null,
  };
}
