import { ArcadeError } from "../domain/errors.ts";
import { gameIdOf } from "../domain/replay.ts";
import type { VerificationState } from "../domain/session.ts";
import { isoOf } from "../domain/time.ts";
import type { Address, ChainReader, ChainStore, Clock, Hex, SessionRow, SessionStore } from "../ports.ts";
import { asOfNow, finalityOf } from "./as-of.ts";
import { readOwnReceipt } from "./receipts.ts";
import { snapshotStateOf } from "./session-view.ts";
import type { SignedCalls, SigningRequest } from "./signed-call.ts";

interface RewardsPorts {
  readonly sessions: SessionStore;
  readonly chainStore: ChainStore;
  readonly chain: ChainReader;
  readonly clock: Clock;
  readonly signedCall: SignedCalls;
  /** Whether the session's score was derived again from its replay; runs the check where it was not done yet. */
  readonly verify: (row: SessionRow) => Promise<VerificationState>;
  readonly freshen: () => Promise<void>;
}

export type Rewards = ReturnType<typeof makeRewards>;

/** Seconds a prepared snapshot stays valid. */
const SNAPSHOT_TTL_SECONDS = 600;
const BATCH_MAX = 16;

/** From an ended session to its signed snapshot, and what a wallet has in the bank. */
export function makeRewards({ sessions, chainStore, chain, clock, signedCall, verify, freshen }: RewardsPorts) {
  const { rewards } = chain.deployment;

  /** Throws the reason why a session's score takes no part in rewards. */
  function checkEligible(row: SessionRow): void {
    const { sessionId } = row;
    if (row.source !== "agent_api")
      throw new ArcadeError(
        "SOURCE_NOT_ELIGIBLE",
        "Practice sessions take no part in rewards; play with source agent_api.",
        { sessionId },
      );
    if (row.phase !== "ended")
      throw new ArcadeError("SESSION_NOT_ENDED", `Session ${sessionId} is still being played; end it first.`, {
        sessionId,
      });
    if (row.score === 0)
      throw new ArcadeError("NOTHING_TO_SNAPSHOT", `Session ${sessionId} ended with no points.`, { sessionId });
    if (row.forfeitedAtMs !== null && row.snapshotBlock === null)
      throw new ArcadeError(
        "NOTHING_TO_SNAPSHOT",
        `The score of session ${sessionId} was given up at ${isoOf(row.forfeitedAtMs)}.`,
        { sessionId },
      );
  }

  async function findOwn(wallet: Address, sessionId: string): Promise<SessionRow> {
    const row = await sessions.find(sessionId);
    if (row !== null && row.wallet === wallet) return row;
    throw new ArcadeError("SESSION_NOT_FOUND", `There is no session ${sessionId} that belongs to ${wallet}.`);
  }

  const factsOf = (row: SessionRow) => ({
    wallet: row.wallet!,
    gameId: gameIdOf(row.slug),
    score: String(row.score),
    gameSessionHash: row.gameSessionHash!,
  });
  /** What the contract consumes is the key, so no two sessions are ever signed under one sequence. */
  const keyOf = (row: SessionRow) => `${row.wallet}:${row.sequence}`;

  const summaryOf = (row: SessionRow) => ({
    sessionId: row.sessionId,
    gameSlug: row.slug,
    scoreDelta: row.score,
    gameSessionHash: row.gameSessionHash!,
  });

  const isOnChain = async (row: SessionRow): Promise<boolean> =>
    row.snapshotBlock !== null || chain.isSessionConsumed(row.wallet!, row.gameSessionHash!);

  /** The oldest score that still can be snapshotted: one that was cancelled on chain is passed over. */
  async function oldestWaiting(wallet: Address, slug: string | null): Promise<SessionRow | undefined> {
    for (const row of await sessions.listPending(wallet, slug, 100)) if (!(await isOnChain(row))) return row;
    return undefined;
  }

  /** Verifies and marks a session, so that its facts may be signed. */
  async function clearForSigning(row: SessionRow): Promise<void> {
    if ((await verify(row)) !== "verified") {
      throw new ArcadeError(
        "REPLAY_MISMATCH",
        `The score of session ${row.sessionId} could not be derived again from its replay; it is withheld and the operator has been told.`,
        { sessionId: row.sessionId },
      );
    }
    if (!(await sessions.markPrepared(row.sessionId, clock.nowMs()))) {
      throw new ArcadeError("NOTHING_TO_SNAPSHOT", `The score of session ${row.sessionId} was given up meanwhile.`, {
        sessionId: row.sessionId,
      });
    }
  }

  async function recordedBy(row: SessionRow, txHash: Hex) {
    const receipt = await readOwnReceipt(chain, txHash);
    const found = receipt.events.some(
      (event) => event.name === "ScoreSnapshot" && event.gameSessionHash === row.gameSessionHash,
    );
    if (!found)
      throw new ArcadeError(
        "TX_MISMATCH",
        `Expected the snapshot of session ${row.sessionId} in ${txHash}; it holds something else.`,
        { txHash },
      );
    await freshen();
    return {
      mode: "recorded" as const,
      ...summaryOf(row),
      txHash,
      finality: finalityOf(receipt.block, await chain.finality()),
    };
  }

  return {
    async snapshot(request: {
      readonly wallet: Address;
      readonly sessionId: string | null;
      readonly slug: string | null;
      readonly txHash: Hex | null;
    }) {
      const { wallet, sessionId, slug, txHash } = request;
      await freshen();
      const row = sessionId === null ? await oldestWaiting(wallet, slug) : await findOwn(wallet, sessionId);
      if (row === undefined || (slug !== null && row.slug !== slug)) {
        throw new ArcadeError(
          "NOTHING_TO_SNAPSHOT",
          `${wallet} has no ended session${slug === null ? "" : ` of ${slug}`} whose score waits for a snapshot.`,
        );
      }
      checkEligible(row);
      if (txHash !== null) return recordedBy(row, txHash);
      if (await isOnChain(row)) return { mode: "already_done" as const, ...summaryOf(row), txHash: row.snapshotTxHash };
      await clearForSigning(row);
      const facts = factsOf(row);
      const signed = await signedCall({
        duty: "score",
        primaryType: "Snapshot",
        verifyingContract: rewards,
        key: keyOf(row),
        facts,
        ttlSeconds: SNAPSHOT_TTL_SECONDS,
        functionName: "snapshotScoreSigned",
        args: [facts.wallet, facts.gameId, facts.score, facts.gameSessionHash],
      });
      return { mode: "sign" as const, ...summaryOf(row), ...signed };
    },

    /** Up to 16 pending sessions in one call. */
    async snapshotAll({ wallet, slug }: { readonly wallet: Address; readonly slug: string | null }) {
      await freshen();
      const rows: SessionRow[] = [];
      for (const row of await sessions.listPending(wallet, slug, BATCH_MAX)) {
        if (await isOnChain(row)) continue;
        await clearForSigning(row);
        rows.push(row);
      }
      if (rows.length === 0)
        throw new ArcadeError(
          "NOTHING_TO_SNAPSHOT",
          `${wallet} has no ended session whose score waits for a snapshot.`,
        );
      const items = rows.map((row) => {
        const { gameSessionHash, gameId, score } = factsOf(row);
        return { gameSessionHash, gameId, score };
      });
      const singles: SigningRequest["singles"] = rows.map((row) => ({
        primaryType: "Snapshot",
        key: keyOf(row),
        facts: factsOf(row),
      }));
      const signed = await signedCall({
        duty: "score",
        primaryType: "SnapshotBatch",
        verifyingContract: rewards,
        key: `${wallet}:${rows.map((row) => row.sequence).join(",")}`,
        facts: { wallet, items },
        singles,
        ttlSeconds: SNAPSHOT_TTL_SECONDS,
        functionName: "snapshotScoresSigned",
        args: [wallet, items],
      });
      return {
        mode: "sign" as const,
        sessions: rows.map(summaryOf),
        scoreDelta: rows.reduce((sum, row) => sum + row.score, 0),
        ...signed,
      };
    },

    /** Where one session stands with rewards. */
    async sessionState(wallet: Address, sessionId: string) {
      await freshen();
      const row = await findOwn(wallet, sessionId);
      const reasons: string[] = [];
      if (row.source !== "agent_api") reasons.push("SOURCE_NOT_ELIGIBLE");
      if (row.phase !== "ended") reasons.push("SESSION_NOT_ENDED");
      if (row.phase === "ended" && row.score === 0) reasons.push("NOTHING_TO_SNAPSHOT");
      if (row.verification === "withheld") reasons.push("REPLAY_MISMATCH");
      return {
        sessionId,
        eligible: reasons.length === 0,
        reasons,
        snapshot: {
          state: snapshotStateOf(row, await chain.finality()),
          gameSessionHash: row.gameSessionHash,
          txHash: row.snapshotTxHash,
        },
      };
    },

    async scorebank(wallet: Address) {
      await freshen();
      const [view, pending, asOf] = await Promise.all([
        chainStore.scorebank(wallet),
        sessions.listPending(wallet, null, 100),
        asOfNow(chain),
      ]);
      return {
        score: Number(view.score),
        snapshots: view.snapshots,
        lastSnapshotAt: view.lastSnapshotAt === null ? null : isoOf(view.lastSnapshotAt * 1000),
        pending: pending.map((row) => ({ sessionId: row.sessionId, gameSlug: row.slug, scoreDelta: row.score })),
        byGame: Object.fromEntries(Object.entries(view.byGame).map(([slug, score]) => [slug, Number(score)])),
        asOf,
      };
    },
  };
}
