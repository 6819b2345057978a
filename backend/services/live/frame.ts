import type { EndMessage, FrameMessage, HelloMessage } from "../../domain/protocol.ts";
import { isEligible, type Phase } from "../../domain/session.ts";
import type { Game, GameState } from "../../games/game.ts";
import type { SessionRow } from "../../ports/store-sessions.ts";

interface FrameFacts {
  readonly row: SessionRow;
  readonly game: Game;
  readonly state: GameState;
  readonly phase: Phase;
  readonly high: number;
  readonly spectators: { readonly current: number; readonly max: number };
  readonly ackSeq: number | null;
}

/** The whole state as sockets see it. A game's own fields never replace the common ones. */
export function buildFrame({ row, game, state, phase, high, spectators, ackSeq }: FrameFacts): FrameMessage {
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
      score: { current: score, high: Math.max(high, score) },
      lives,
      livesMax,
      hunger,
      hungerMax,
      pawn,
      // The schema's type is the mutable twin of the game's.
      entities: entities as FrameMessage["frame"]["entities"],
      spectators,
      ...(ackSeq === null ? {} : { ackSeq }),
    },
  };
}

export function buildHello(
  facts: Pick<FrameFacts, "row" | "game" | "state" | "phase" | "spectators"> &
    Pick<HelloMessage, "role" | "resumed" | "pauseBudget">,
): HelloMessage {
  const { row, game, state, phase, spectators, role, resumed, pauseBudget } = facts;
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
    resumed,
    pauseBudget,
    spectators,
    world: { ...game.world },
  };
}

/** The message that closes a session; `row` is the stored, ended one. */
export function buildEnd(row: SessionRow): EndMessage {
  const pays = isEligible(row) && row.score > 0;
  return {
    t: "end",
    sessionId: row.sessionId,
    score: row.score,
    endReason: row.endReason ?? "server_restart",
    replayDigest: row.replayDigest ?? "0x",
    next: pays ? { method: "POST", path: "/api/rewards/snapshot", body: { sessionId: row.sessionId } } : null,
  };
}
