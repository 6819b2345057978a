import type { Address, Hex } from "viem";
import { ArcadeError } from "../../../domain/errors.ts";
import { createScoreError, listScoreProblems, SCORE_PROBLEM_CODES } from "../../../domain/rewards.ts";
import { toFinality, type VerificationState } from "../../../domain/session.ts";
import { toIso } from "../../../domain/time.ts";
import type { ChainFacts, ChainIndex, ChainReader, FreshReads } from "../../ports/chain.ts";
import type { ChainStore } from "../../ports/store/chain.ts";
import type { SessionRow, SessionStore } from "../../ports/store/sessions.ts";
import type { Clock } from "../../ports/system.ts";
import { readScoreProblems, readSuccessfulReceipt, requireBlock, toAsOf } from "../chain-reads.ts";
import { toSnapshotView } from "../sessions/view.ts";
import { getDeadline, type SignedCalls } from "../signed-calls.ts";
import { createSnapshot, createSnapshotBatch, type SnapshotFacts } from "../signing-requests.ts";

interface RewardsPorts {
  readonly sessions: SessionStore;
  readonly chainStore: ChainStore;
  readonly chain: Pick<ChainReader, "deployment" | "openFreshReads" | "getReceipt">;
  readonly facts: Pick<ChainFacts, "isSessionConsumed">;
  readonly index: ChainIndex;
  readonly clock: Clock;
  readonly signedCalls: SignedCalls;
  /** Whether the session's replay gives its score; runs the check if it was not done yet. */
  readonly verify: (row: SessionRow) => Promise<VerificationState>;
}

export interface SnapshotRequest {
  readonly wallet: Address;
  /** Null: the wallet's oldest pending session. */
  readonly sessionId: string | null;
  readonly slug: string | null;
  /** The transaction to confirm the snapshot by; null: sign one. */
  readonly txHash: Hex | null;
}

const BATCH_MAX = 16;
/** The maximum number of waiting scores listed with a scorebank. */
const PENDING_MAX = 100;
const READ_AT_ONCE = BATCH_MAX + 1;
/** Maximum chain reads per request: enough for the wallet's oldest 510 waiting scores. */
const READS_MAX = 30;

const toSummary = (row: SessionRow) => ({
  sessionId: row.sessionId,
  gameSlug: row.slug,
  scoreDelta: row.score,
  gameSessionHash: row.gameSessionHash!,
});

const readSnapshotFacts = async (reads: FreshReads, row: SessionRow): Promise<SnapshotFacts> => ({
  row,
  isConsumed: await reads.isSessionConsumed(row.wallet!, row.gameSessionHash!),
});

const createNothingError = (wallet: Address, slug: string | null): ArcadeError => {
  const game = slug === null ? "" : ` of ${slug}`;
  return new ArcadeError(
    "NOTHING_TO_SNAPSHOT",
    `${wallet} has no ended session${game} whose score waits for a snapshot.`,
  );
};

/** Signs ended sessions' scores for the rewards contract, and reads a wallet's scorebank. */
export class Rewards {
  readonly #ports: RewardsPorts;

  constructor(ports: RewardsPorts) {
    this.#ports = ports;
  }

  /** The signed snapshot of one session, or its confirmation. */
  async snapshot(request: SnapshotRequest) {
    const { wallet, sessionId, slug, txHash } = request;
    await this.#ports.index.waitForHead();
    if (sessionId === null) return this.#signOldestPending(wallet, slug);
    const row = await this.#findOwn(wallet, sessionId);
    if (slug !== null && row.slug !== slug) throw createNothingError(wallet, slug);
    const [problem] = listScoreProblems(row).filter((name) => name !== "ALREADY_ON_CHAIN");
    if (problem !== undefined) throw createScoreError(problem, row);
    if (txHash !== null) return this.#confirmSnapshot(row, txHash);
    const done = { mode: "already_done" as const, ...toSummary(row), txHash: row.snapshotTxHash };
    if (row.snapshotBlock !== null) return done;
    const reads = await this.#ports.chain.openFreshReads();
    const score = await readSnapshotFacts(reads, row);
    return score.isConsumed.value ? done : this.#signOne(score);
  }

  /** The signed snapshot of up to 16 pending sessions in one call, and whether further ones wait. */
  async snapshotAll({ wallet, slug }: { readonly wallet: Address; readonly slug: string | null }) {
    await this.#ports.index.waitForHead();
    const { found, isMore } = await this.#findUnconsumed(wallet, slug, BATCH_MAX);
    const [first, ...others] = found;
    if (first === undefined) throw createNothingError(wallet, slug);
    const scores = [first, ...others];
    return {
      mode: "sign" as const,
      sessions: scores.map(({ row }) => toSummary(row)),
      scoreDelta: scores.reduce((sum, { row }) => sum + row.score, 0),
      more: isMore,
      ...(await this.#sign([first, ...others], "batch")),
    };
  }

  /** The rewards state of one session. */
  async getSessionState(wallet: Address, sessionId: string) {
    const { facts, index } = this.#ports;
    const row = await this.#findOwn(wallet, sessionId);
    const problems = (await readScoreProblems(facts, row)).filter((name) => name !== "ALREADY_ON_CHAIN");
    const reasons = [...new Set(problems.map((name) => SCORE_PROBLEM_CODES[name]))];
    const snapshot = toSnapshotView(row, index.getFinality());
    return { sessionId, eligible: reasons.length === 0, reasons, snapshot };
  }

  /** The wallet's unpaid points, in all and by game, and its sessions that wait for a snapshot. */
  async getScorebank(wallet: Address) {
    const { sessions, chainStore, index } = this.#ports;
    const asOf = toAsOf(index);
    const [view, pending] = await Promise.all([
      chainStore.getScorebank(wallet),
      sessions.listPending(wallet, null, PENDING_MAX),
    ]);
    return {
      score: Number(view.score),
      snapshots: view.snapshots,
      lastSnapshotAt: view.lastSnapshotAt === null ? null : toIso(view.lastSnapshotAt * 1000),
      pending: pending.map((row) => ({ sessionId: row.sessionId, gameSlug: row.slug, scoreDelta: row.score })),
      byGame: Object.fromEntries(Object.entries(view.byGame).map(([slug, score]) => [slug, Number(score)])),
      asOf,
    };
  }

  async #findOwn(wallet: Address, sessionId: string): Promise<SessionRow> {
    const row = await this.#ports.sessions.find(sessionId);
    if (row !== null && row.wallet === wallet) return row;
    throw new ArcadeError("SESSION_NOT_FOUND", `There is no session ${sessionId} that belongs to ${wallet}.`);
  }

  /**
   * The oldest scores that can still be snapshotted, without those cancelled on chain. `isMore`: further scores wait,
   * or were not checked.
   */
  async #findUnconsumed(wallet: Address, slug: string | null, limit: number) {
    const { sessions, chain } = this.#ports;
    const found: SnapshotFacts[] = [];
    let reads: FreshReads | null = null;
    let after = 0n;
    for (let count = 0; count < READS_MAX; count += 1) {
      const rows = await sessions.listPending(wallet, slug, READ_AT_ONCE, after);
      if (rows.length === 0) return { found, isMore: false };
      reads ??= await chain.openFreshReads();
      const scores = await Promise.all(rows.map((row) => readSnapshotFacts(reads!, row)));
      found.push(...scores.filter(({ isConsumed }) => !isConsumed.value));
      if (found.length > limit) return { found: found.slice(0, limit), isMore: true };
      if (rows.length < READ_AT_ONCE) return { found, isMore: false };
      after = rows.at(-1)!.sequence!;
    }
    return { found, isMore: true };
  }

  async #signOldestPending(wallet: Address, slug: string | null) {
    const { found } = await this.#findUnconsumed(wallet, slug, 1);
    if (found[0] === undefined) throw createNothingError(wallet, slug);
    return this.#signOne(found[0]);
  }

  async #signOne(score: SnapshotFacts) {
    return { mode: "sign" as const, ...toSummary(score.row), ...(await this.#sign([score])) };
  }

  /** Verifies the scores, stores until when their signature is valid, and signs them. */
  async #sign(scores: readonly [SnapshotFacts, ...SnapshotFacts[]], form: "single" | "batch" = "single") {
    const { chain, signedCalls, verify } = this.#ports;
    const { rewards } = chain.deployment;
    const request = form === "batch" ? createSnapshotBatch(scores, rewards) : createSnapshot(scores[0], rewards);
    for (const { row } of scores) if ((await verify(row)) !== "verified") throw createScoreError("WITHHELD", row);
    const signedUntilSeconds = Number(getDeadline(request));
    return signedCalls.prepare(request, () =>
      Promise.all(scores.map(({ row }) => this.#markPrepared(row, signedUntilSeconds))),
    );
  }

  async #markPrepared({ sessionId }: SessionRow, signedUntilSeconds: number): Promise<void> {
    const { sessions, clock } = this.#ports;
    if (await sessions.markPrepared(sessionId, { atMs: clock.nowMs(), signedUntilSeconds })) return;
    const message = `The score of session ${sessionId} has been given up or withheld.`;
    throw new ArcadeError("NOTHING_TO_SNAPSHOT", message, { sessionId });
  }

  async #confirmSnapshot(row: SessionRow, txHash: Hex) {
    const { chain, index } = this.#ports;
    const receipt = await readSuccessfulReceipt(chain, txHash);
    const isFound = receipt.events.some(
      (event) => event.name === "ScoreSnapshot" && event.gameSessionHash === row.gameSessionHash,
    );
    if (!isFound) {
      const message = `Expected the snapshot of session ${row.sessionId} in ${txHash}; that transaction does something else.`;
      throw new ArcadeError("TX_MISMATCH", message, { txHash });
    }
    // Every server reads this store: from now on all of them know the score.
    await requireBlock(index, receipt.block);
    const finality = toFinality(receipt.block, index.getFinality());
    return { mode: "recorded" as const, ...toSummary(row), txHash, finality };
  }
}
