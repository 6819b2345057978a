import { createHash, randomBytes } from "node:crypto";
import { ArcadeError } from "../domain/errors.ts";
import { checkNftGate, checkSnapshotGate, GATES_OPEN_AFTER_MS, pendingTier } from "../domain/gates.ts";
import type { Replay } from "../domain/replay.ts";
import { SESSION_TIMES, type SessionSource } from "../domain/session.ts";
import { isoOf } from "../domain/time.ts";
import { uuidV7 } from "../domain/uuid.ts";
import type { Address, ChainReader, Clock, Hex, LiveSessions, Log, SessionRow, SessionStore } from "../ports.ts";
import type { Catalog } from "./catalog.ts";
import type { ChannelTokens, Player } from "./channel-tokens.ts";
import type { Identity } from "./identity.ts";
import { buildReplay } from "./live/replay-of.ts";
import type { Nft } from "./nft.ts";
import { sessionViewOf } from "./session-view.ts";
import { hashToken, makeToken } from "./tokens.ts";

interface SessionPorts {
  readonly store: SessionStore;
  readonly live: LiveSessions;
  readonly chain: ChainReader;
  readonly clock: Clock;
  readonly log: Log;
  readonly catalog: Catalog;
  readonly identity: Identity;
  readonly nft: Pick<Nft, "factsOf">;
  readonly channelTokens: ChannelTokens;
  readonly spectatorsMax: number;
  /** For how long chain or signer have been away, 0 while they answer. */
  readonly outageMs: () => number;
  /** Waits a moment until the follower has seen the chain's head. */
  readonly freshen: () => Promise<void>;
}

export type Sessions = ReturnType<typeof makeSessions>;

/** Start, liveness, end and reading of game sessions. */
export function makeSessions(ports: SessionPorts) {
  const { store, live, chain, clock, log, catalog, identity, nft, channelTokens, spectatorsMax, outageMs, freshen } =
    ports;

  /** Without the chain every block counts as just included. */
  const finality = async () => {
    try {
      return await chain.finality();
    } catch (fault) {
      if (fault instanceof ArcadeError && fault.code === "CHAIN_UNAVAILABLE") return { safe: -1, final: -1 };
      throw fault;
    }
  };
  const viewOf = async (row: SessionRow) => sessionViewOf(row, live, await finality(), spectatorsMax);

  async function find(slug: string, sessionId: string): Promise<SessionRow> {
    const row = await store.find(sessionId);
    if (row !== null && row.slug === slug) return row;
    throw new ArcadeError("SESSION_NOT_FOUND", `There is no session ${sessionId} of ${slug}.`);
  }

  /** The player's own session; anybody else's does not exist for them. */
  async function findOwn(slug: string, sessionId: string, player: Player): Promise<SessionRow> {
    const row = await find(slug, sessionId);
    const own = player.kind === "wallet" ? row.wallet === player.wallet : row.practiceTokenHash === player.tokenHash;
    if (own) return row;
    throw new ArcadeError("SESSION_NOT_FOUND", `There is no session ${sessionId} of ${slug} that this token may play.`);
  }

  /** Whether the contract took the session's number already; without the chain nobody can say, so it waits on. */
  async function isConsumed(wallet: Address, row: SessionRow): Promise<boolean> {
    try {
      return await chain.isSessionConsumed(wallet, row.gameSessionHash!);
    } catch (fault) {
      if (fault instanceof ArcadeError && fault.code === "CHAIN_UNAVAILABLE") return false;
      throw fault;
    }
  }

  /** Snapshot gate, then NFT gate; `forfeit` gives up what they wait for. */
  async function passGates(wallet: Address, agentId: string, slug: string, forfeit: boolean): Promise<void> {
    await freshen();
    for (const pending of await store.listPending(wallet, slug, 100)) {
      // Consumed without an event of ours: the guardian cancelled it, and no snapshot will ever come.
      if (await isConsumed(wallet, pending)) continue;
      if (!forfeit) checkSnapshotGate({ sessionId: pending.sessionId, slug, score: pending.score });
      if (await store.forfeit(pending.sessionId, clock.nowMs()))
        log.info({ sessionId: pending.sessionId }, "score given up");
    }
    const facts = await nft.factsOf(wallet, agentId, slug);
    if (!forfeit) checkNftGate(facts);
    const step = pendingTier(facts);
    if (step !== null && (await store.forfeitTier(step.sessionId, step.tier))) log.info(step, "tier step given up");
  }

  async function newRow(
    slug: string,
    source: SessionSource,
    player: Pick<SessionRow, "wallet" | "agentId" | "agentName" | "practiceTokenHash">,
  ): Promise<SessionRow> {
    const game = catalog.find(slug);
    const seed = randomBytes(32);
    const session = {
      sessionId: uuidV7(clock.nowMs(), randomBytes(10)),
      slug,
      source,
      ...player,
      seed: `0x${seed.toString("hex")}` as Hex,
      seedCommitment: `0x${createHash("sha256").update(seed).digest("hex")}` as Hex,
      rulesVersion: game.rulesVersion,
      tickHz: catalog.get(slug).tickHz,
      startedAtMs: clock.nowMs(),
    };
    const outcome = await store.add(session);
    if (!outcome.added) {
      throw new ArcadeError(
        "SESSION_ACTIVE",
        `The wallet is playing session ${outcome.activeSessionId} of ${slug}; go on with it or end it first.`,
        {
          sessionId: outcome.activeSessionId,
          next: { method: "POST", path: `/api/games/${slug}/sessions/${outcome.activeSessionId}/play-token`, body: {} },
        },
      );
    }
    return find(slug, session.sessionId);
  }

  const answerOf = async (row: SessionRow, practiceToken: string | null) => {
    const { token } = await channelTokens.issuePlay(row);
    return {
      session: await viewOf(row),
      sessionId: row.sessionId,
      playToken: token,
      ...(practiceToken === null ? {} : { practiceToken }),
      wsUrl: catalog.channelUrl(row.slug, "play", row.sessionId),
      heartbeatSeconds: SESSION_TIMES.heartbeatSeconds,
    };
  };

  return {
    find,
    findOwn,
    viewOf,

    async start(request: {
      readonly slug: string;
      readonly source: SessionSource;
      readonly forfeitPending: boolean;
      readonly wallet: Address | null;
    }) {
      const { slug, source, wallet } = request;
      if (source === "browser_ws") {
        const practiceToken = wallet === null ? makeToken("practice") : null;
        const row = await newRow(slug, source, {
          wallet,
          agentId: null,
          agentName: null,
          practiceTokenHash: practiceToken === null ? null : hashToken(practiceToken),
        });
        live.open(row);
        return answerOf(row, practiceToken);
      }
      if (wallet === null)
        throw new ArcadeError(
          "AUTH_REQUIRED",
          "Expected an access token for source agent_api; sign in first, or practise with source browser_ws.",
        );
      const open = outageMs() >= GATES_OPEN_AFTER_MS;
      const agentId = open ? await identity.agentIdOf(wallet) : await identity.requireIdentity(wallet);
      if (!open) await passGates(wallet, agentId!, slug, request.forfeitPending);
      const agentName = agentId === null ? null : await identity.nameOf(agentId);
      const row = await newRow(slug, source, { wallet, agentId, agentName, practiceTokenHash: null });
      live.open(row);
      return answerOf(row, null);
    },

    /** The same session again with a fresh play token: a repeated start. */
    async rejoin(slug: string, sessionId: string, player: Player | null) {
      const row = player === null ? await find(slug, sessionId) : await findOwn(slug, sessionId, player);
      return answerOf(row, null);
    },

    async heartbeat(slug: string, sessionId: string, player: Player) {
      const row = await findOwn(slug, sessionId, player);
      const answer = row.phase === "ended" ? null : live.heartbeat(sessionId);
      if (answer !== null) return answer;
      throw new ArcadeError("SESSION_ENDED", `Session ${sessionId} has ended; start a new one.`, { sessionId });
    },

    /** Ends the session; ending twice answers the same record. */
    async end(slug: string, sessionId: string, player: Player) {
      const row = await findOwn(slug, sessionId, player);
      const ended = row.phase === "ended" ? null : await live.end(sessionId, "ended_by_player");
      return { session: await viewOf(ended ?? (await find(slug, sessionId))) };
    },

    async get(slug: string, sessionId: string) {
      return { session: await viewOf(await find(slug, sessionId)) };
    },

    async live(query: { readonly slug: string; readonly page: number; readonly limit: number }) {
      const { items, total } = await store.listLive(query);
      const blocks = await finality();
      const sessions = items.map((row) => sessionViewOf(row, live, blocks, spectatorsMax));
      return { items: sessions, sessions, page: query.page, limit: query.limit, total };
    },

    async mine(query: Parameters<SessionStore["listMine"]>[0]) {
      const { items, total } = await store.listMine(query);
      const blocks = await finality();
      const sessions = items.map((row) => sessionViewOf(row, live, blocks, spectatorsMax));
      return { items: sessions, sessions, page: query.page, limit: query.limit, total };
    },

    async highScore(wallet: Address, slug: string) {
      const row = await store.best(wallet, slug);
      const highScore =
        row === null || row.endedAtMs === null
          ? null
          : { score: row.score, sessionId: row.sessionId, at: isoOf(row.endedAtMs) };
      return { highScore, sessionId: row?.sessionId ?? null };
    },

    /** The replay of an ended agent session: everything needed to derive its score again. */
    async replay(slug: string, sessionId: string): Promise<Replay> {
      const row = await find(slug, sessionId);
      if (row.source !== "agent_api")
        throw new ArcadeError("SOURCE_NOT_ELIGIBLE", "Practice sessions have no public replay.");
      if (row.endedAtMs === null || row.endReason === null)
        throw new ArcadeError(
          "SESSION_NOT_ENDED",
          `Session ${sessionId} is still being played; its seed is revealed when it ends.`,
        );
      return buildReplay(row, await store.recording(sessionId), chain.deployment);
    },
  };
}
