/** Sessions played by the server's own session class, without sockets or a store: what it records is what a replay is. */
import { createHash } from "node:crypto";
import { gameSessionHashOf, type Hex, type Replay } from "../../backend/domain/replay.ts";
import type { Bot, Game } from "../../backend/games/game.ts";
import type { SessionRow } from "../../backend/ports/store-sessions.ts";
import { buildReplay } from "../../backend/services/live/replay-of.ts";
import { Seats } from "../../backend/services/live/seats.ts";
import { LiveSession, type SessionListener } from "../../backend/services/live/session.ts";
import { seedOf } from "./helpers.ts";

export const CHAIN = { chainId: 31337, rewards: `0x${"22".repeat(20)}` } as const;

/** A replay, and what the session's record and the chain say about it. */
export interface RecordedSession {
  readonly replay: Replay;
  readonly claims: { readonly replayDigest: Hex; readonly gameSessionHash: Hex; readonly seedCommitment: Hex };
}

export interface Plan {
  readonly game: Game;
  /** Seed number of the run, and of its ids. */
  readonly n: number;
  readonly bot: Bot;
  readonly tickHz?: number;
  /** Ticks before which the player pauses; every pause lasts a second. */
  readonly pauseAt?: readonly number[];
  /** The tick after which the player leaves. */
  readonly exitAt?: number;
}

const hash = (text: string): string => createHash("sha256").update(text).digest("hex");

function rowOf({ game, n, tickHz = game.tickHz }: Plan): SessionRow {
  const seed = seedOf(n);
  const id = hash(`session ${n}`);
  return {
    sessionId: `${id.slice(0, 8)}-${id.slice(8, 12)}-7${id.slice(13, 16)}-8${id.slice(17, 20)}-${id.slice(20, 32)}`,
    slug: game.slug,
    source: "agent_api",
    wallet: `0x${hash(`wallet ${n}`).slice(0, 40)}`,
    rulesVersion: game.rulesVersion,
    tickHz,
    seed: `0x${Buffer.from(seed).toString("hex")}`,
    seedCommitment: `0x${createHash("sha256").update(seed).digest("hex")}`,
  } as SessionRow;
}

/** Plays a plan to its end and records it. */
export function recordSession(plan: Plan): RecordedSession {
  const row = rowOf(plan);
  let nowMs = 0;
  let ended = false;
  const onEnd = (): void => {
    ended = true;
  };
  const session = new LiveSession({ row, game: plan.game, seats: new Seats(1), nowMs, onEnd });
  const { epoch } = session.connectPlayer(nowMs);
  const pauses = new Set(plan.pauseAt);
  let pausedAtMs: number | null = null;
  const listener: SessionListener = {
    published: (_, { frame }) => {
      const message = frame.phase === "running" ? plan.bot(frame as never) : null;
      if (message !== null) session.steer(epoch, message, undefined);
    },
    finished: () => {},
  };
  session.listen(listener);
  while (!ended) {
    nowMs += 1000 / row.tickHz;
    if (session.phase === "running" && pauses.delete(session.tickCount)) {
      session.command(epoch, "pause", undefined, nowMs);
      pausedAtMs = nowMs;
    } else if (pausedAtMs !== null && nowMs - pausedAtMs >= 1000) {
      session.command(epoch, "resume", undefined, nowMs);
      pausedAtMs = null;
    }
    if (session.tickCount === plan.exitAt) session.command(epoch, "exit", undefined, nowMs);
    session.tick(nowMs);
    session.heartbeat(nowMs);
  }
  const { score, tick, endReason, replayDigest, inputs, stateDigests } = session.outcome(0);
  const recording = structuredClone({ inputs, stateDigests });
  const replay = buildReplay({ ...row, score, tick, endReason, sequence: BigInt(plan.n) }, recording as never, CHAIN);
  const facts = { ...replay, replayDigest, sequence: BigInt(plan.n) };
  return {
    replay,
    claims: { replayDigest, gameSessionHash: gameSessionHashOf(facts), seedCommitment: row.seedCommitment as Hex },
  };
}
