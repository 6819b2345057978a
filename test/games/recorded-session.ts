/** Sessions played with the server's session class, without sockets or a store, and recorded as replays. */
import { createHash } from "node:crypto";
import type { Address, Hex } from "viem";
import { Seats } from "../../backend/live/seats.ts";
import { LiveSession } from "../../backend/live/session.ts";
import type { SessionListener } from "../../backend/ports/live-channels.ts";
import type { SessionRow } from "../../backend/ports/store/sessions.ts";
import { buildReplay, type RewardsChain } from "../../domain/replay/build-replay.ts";
import { computeGameSessionHash, type Replay } from "../../domain/replay/replay.ts";
import type { Bot, Game } from "../../games/game.ts";
import { toSeed } from "../../scripts/evaluate/play.ts";

const CHAIN: RewardsChain = { chainId: 31337, rewards: `0x${"22".repeat(20)}` };

/** A replay, with its data in the session's record and on chain. */
export interface RecordedSession {
  readonly replay: Replay;
  readonly claims: { readonly replayDigest: Hex; readonly gameSessionHash: Hex; readonly seedCommitment: Hex };
}

export interface SessionPlan {
  readonly game: Game;
  /** The number for the run's seed and ids. */
  readonly seedNumber: number;
  readonly bot: Bot;
  readonly tickHz?: number;
  /** Ticks before which the player pauses, each time for a second. */
  readonly pauseAt?: readonly number[];
  /** The tick after which the player leaves. */
  readonly exitAt?: number;
  /** The player's part of the seed; none by default. */
  readonly entropy?: Hex;
  /** The player, the session's number, and the target of its score; invented by default. */
  readonly wallet?: Address;
  readonly sequence?: number;
  readonly chain?: RewardsChain;
}

const sha256Hex = (text: string): string => createHash("sha256").update(text).digest("hex");

function toSessionRow({ game, seedNumber, wallet, tickHz = game.tickHz }: SessionPlan): SessionRow {
  const seed = toSeed(seedNumber);
  const id = sha256Hex(`session ${seedNumber}`);
  return {
    sessionId: `${id.slice(0, 8)}-${id.slice(8, 12)}-7${id.slice(13, 16)}-8${id.slice(17, 20)}-${id.slice(20, 32)}`,
    slug: game.slug,
    source: "agent_api",
    wallet: wallet ?? `0x${sha256Hex(`wallet ${seedNumber}`).slice(0, 40)}`,
    rulesVersion: game.rulesVersion,
    tickHz,
    seed: `0x${Buffer.from(seed).toString("hex")}`,
    seedCommitment: `0x${createHash("sha256").update(seed).digest("hex")}`,
  } as SessionRow;
}

/** Plays a plan to its end and records it. */
export function recordSession(plan: SessionPlan): RecordedSession {
  const row = toSessionRow(plan);
  let nowMs = 0;
  let ended = false;
  const onEnd = (): void => {
    ended = true;
  };
  const session = new LiveSession({ row, game: plan.game, seats: new Seats(1), nowMs, onEnd });
  const { epoch } = session.connectPlayer(nowMs, plan.entropy);
  const pauses = new Set(plan.pauseAt);
  let pausedAtMs: number | null = null;
  const listener: SessionListener = {
    onTick: ({ frame: { frame } }) => {
      const message = frame.phase === "running" ? plan.bot(frame as never) : null;
      if (message !== null) session.acceptInput(epoch, message, undefined);
    },
    onEnd: () => {},
  };
  session.subscribe(listener);
  while (!ended) {
    nowMs += 1000 / row.tickHz;
    if (session.phase === "running" && pauses.delete(session.tickCount)) {
      session.runCommand(epoch, "pause", undefined, nowMs);
      pausedAtMs = nowMs;
    } else if (pausedAtMs !== null && nowMs - pausedAtMs >= 1000) {
      session.runCommand(epoch, "resume", undefined, nowMs);
      pausedAtMs = null;
    }
    if (session.tickCount === plan.exitAt) session.runCommand(epoch, "exit", undefined, nowMs);
    session.tick(nowMs);
    session.heartbeat(nowMs);
  }
  const outcome = session.getOutcome(0);
  const { score, tick, endReason, replayDigest, inputs, rulesHash = null } = outcome;
  const recording = structuredClone({ inputs, pauses: outcome.pauses ?? [], rulesHash });
  const entropy = outcome.entropy ?? null;
  const sequence = BigInt(plan.sequence ?? plan.seedNumber);
  const replay = buildReplay({ ...row, entropy, score, tick, endReason, sequence }, recording, plan.chain ?? CHAIN);
  const sessionFacts = { ...replay, replayDigest, sequence };
  return {
    replay,
    claims: {
      replayDigest,
      gameSessionHash: computeGameSessionHash(sessionFacts),
      seedCommitment: row.seedCommitment as Hex,
    },
  };
}
