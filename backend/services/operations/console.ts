import { ArcadeError, type ErrorCode } from "../../../domain/errors.ts";
import { uuidV7 } from "../../../domain/ids.ts";
import {
  type TransactionOrder,
  type TransactionOrderOutcome,
  toTransactionState,
} from "../../../domain/operator-transactions.ts";
import { type BlockFinality, isHouseSession } from "../../../domain/session.ts";
import { toIso } from "../../../domain/time.ts";
import type { ChainIndex } from "../../ports/chain.ts";
import type { DoctorFinding } from "../../ports/doctor.ts";
import type { LiveSessions } from "../../ports/live.ts";
import type { AuditStamp } from "../../ports/store/admin.ts";
import type { PayoutRow, TransactionRow } from "../../ports/store/chain.ts";
import type { SessionRow } from "../../ports/store/sessions.ts";
import type { Store } from "../../ports/store/store.ts";
import type { Clock } from "../../ports/system.ts";
import type { ErrorLog } from "./error-log.ts";
import { isSameSecret } from "./secrets.ts";

interface ConsolePorts {
  readonly store: Pick<Store, "operator" | "payouts" | "transactions"> & {
    readonly sessions: Pick<Store["sessions"], "find" | "listOpen">;
  };
  readonly live: Pick<LiveSessions, "peekView">;
  readonly index: Pick<ChainIndex, "getFinality">;
  readonly clock: Pick<Clock, "nowMs">;
  readonly errors: Pick<ErrorLog, "list">;
  /** The operator's token; null: there is no console. */
  readonly adminToken: string | null;
  readonly draining: {
    get(): boolean;
    set(isDraining: boolean): void;
  };
  /** Null: this process has no doctor. */
  readonly runDoctor: (() => Promise<readonly DoctorFinding[]>) | null;
  readonly randomBytes: (count: number) => Uint8Array;
}

interface TransactionOrderView {
  readonly transactionId: string;
  readonly action: TransactionOrder;
  readonly orderId: string | null;
  /** Null until a server has carried it out. */
  readonly outcome: TransactionOrderOutcome | null;
}

type SessionAction = "end" | "withhold" | "forfeit";

/** The name in the audit: a caller over HTTP shows a token and no name. */
const WHO = "console";

const parseJson = (text: string | null): unknown => (text === null ? null : JSON.parse(text));
const toIsoOrNull = (ms: number | null): string | null => (ms === null ? null : toIso(ms));

/** What keeps a session's score from being taken back, as in `admin sessions withhold`. */
const REJECTIONS = {
  unknown: ["SESSION_NOT_FOUND", "There is no such session."],
  not_ended: ["SESSION_NOT_ENDED", "It is still being played; end it first."],
  practice: ["SOURCE_NOT_ELIGIBLE", "Practice sessions have no score that counts."],
  on_chain: ["SCORE_ON_CHAIN", "Its score is on chain already and cannot be removed there."],
} as const satisfies { readonly [outcome: string]: readonly [ErrorCode, string] };

function createRejection(outcome: keyof typeof REJECTIONS, sessionId: string): ArcadeError {
  const [code, message] = REJECTIONS[outcome];
  return new ArcadeError(code, message, { sessionId });
}

/** The operator's page: what the admin commands show and change, over HTTP. Every change writes its audit row. */
export class Console {
  readonly #ports: ConsolePorts;

  constructor(ports: ConsolePorts) {
    this.#ports = ports;
  }

  /** Throws `NOT_FOUND` where the service has no console, `AUTH_REQUIRED` without a token, `TOKEN_INVALID` for a wrong one. */
  checkToken(token: string | null): void {
    const { adminToken } = this.#ports;
    if (adminToken === null)
      throw new ArcadeError("NOT_FOUND", "This service has no console; ARCADE_ADMIN_TOKEN turns it on.");
    if (token === null)
      throw new ArcadeError("AUTH_REQUIRED", "Expected the header Authorization: Bearer <admin token>.");
    if (!isSameSecret(token, adminToken))
      throw new ArcadeError("TOKEN_INVALID", "Expected the operator's token (ARCADE_ADMIN_TOKEN).");
  }

  /** Sessions that are not over, of every source, oldest first. */
  async listSessions() {
    const rows = await this.#ports.store.sessions.listOpen();
    return { sessions: await this.#toSessionViews(rows) };
  }

  /** The last transactions of the operator, newest first. */
  async listTransactions(limit: number) {
    const { store, index } = this.#ports;
    const rows = await store.operator.listTransactions(limit);
    const finality = index.getFinality();
    return { transactions: rows.map((row) => toTransactionView(row, finality)) };
  }

  /**
   * Has the running service bump or cancel a transaction that waits. Without `orderId` there was nothing to order.
   * Throws `NOT_FOUND` for an unknown one.
   */
  async orderTransaction(transactionId: string, action: TransactionOrder): Promise<TransactionOrderView> {
    const { operator, transactions } = this.#ports.store;
    const row = await transactions.find(transactionId);
    if (row === null) throw new ArcadeError("NOT_FOUND", `There is no transaction ${transactionId}.`);
    if (row.block !== null || row.settledAtMs !== null || row.status === "failed")
      return { transactionId, action, orderId: null, outcome: "not_waiting" };
    const stamp = this.#createStamp();
    await operator.orderTransaction(transactionId, action, stamp);
    return { transactionId, action, orderId: stamp.auditId, outcome: null };
  }

  /** What became of an order; throws `NOT_FOUND` for an unknown one. */
  async findTransactionOrder(orderId: string): Promise<TransactionOrderView> {
    const order = await this.#ports.store.operator.findTransactionOrder(orderId);
    if (order === null) throw new ArcadeError("NOT_FOUND", `There is no order ${orderId}.`);
    const { transactionId, action, outcome } = order;
    return { transactionId, action, orderId, outcome };
  }

  /** The checks of `npm run doctor`. Throws `NOT_FOUND` where this process has none. */
  async runDoctor() {
    const { runDoctor } = this.#ports;
    if (runDoctor === null) throw new ArcadeError("NOT_FOUND", "This process has no doctor; run npm run doctor.");
    return { findings: [...(await runDoctor())] };
  }

  /** What the service signed, newest first, without the signatures. */
  async listSignings(limit: number) {
    const rows = await this.#ports.store.operator.listSignings(limit);
    return {
      signings: rows.map(({ kind, key, payloadHash, createdAtMs }) => ({
        kind,
        key,
        payloadHash,
        at: toIso(createdAtMs),
      })),
    };
  }

  /** Payouts that are not in a block yet, with their transactions; oldest first. */
  async listPayouts() {
    const { payouts, transactions } = this.#ports.store;
    const open = await payouts.listOpen();
    const views = open.map(async (payout) =>
      toPayoutView(payout, payout.transactionId === null ? null : await transactions.find(payout.transactionId)),
    );
    return { payouts: await Promise.all(views) };
  }

  /** Sessions whose score the service refuses to sign, newest first. */
  async listWithheld(limit: number) {
    return { sessions: await this.#toSessionViews(await this.#ports.store.operator.listWithheld(limit)) };
  }

  /** Error responses of this process, newest first; with `requestId` only those of that request. */
  listErrors({ requestId, limit }: { readonly requestId: string | null; readonly limit: number }) {
    const entries = this.#ports.errors.list(requestId, limit);
    return { errors: entries.map(({ atMs, ...entry }) => ({ at: toIso(atMs), ...entry })) };
  }

  /** What was changed by hand, newest first. */
  async listAudit({ subject, limit }: { readonly subject: string | null; readonly limit: number }) {
    const rows = await this.#ports.store.operator.listAudit({ subject, limit });
    return {
      audit: rows.map(({ auditId, atMs, who, action, subject: changed, before, after }) => ({
        auditId,
        at: toIso(atMs),
        who,
        action,
        subject: changed,
        before: parseJson(before),
        after: parseJson(after),
      })),
    };
  }

  /** Ends a session, or takes its score back forever. Throws what `REJECTIONS` names, and `SESSION_ENDED`. */
  async changeSession(sessionId: string, action: SessionAction, reason: string) {
    const { operator, sessions } = this.#ports.store;
    const stamp = this.#createStamp();
    if (action === "end") {
      if (await operator.requestSessionEnd(sessionId, reason, stamp))
        return { sessionId, outcome: "requested" as const, signedUntil: null };
      throw await this.#createEndedError(sessionId);
    }
    const method = action === "withhold" ? "withholdScore" : "forfeitScore";
    const outcome = await operator[method](sessionId, reason, stamp);
    if (outcome !== "withheld" && outcome !== "forfeited" && outcome !== "unchanged")
      throw createRejection(outcome, sessionId);
    const signedUntilSeconds = (await sessions.find(sessionId))?.signedUntilSeconds ?? null;
    const signedUntil = signedUntilSeconds === null ? null : toIso(signedUntilSeconds * 1000);
    return { sessionId, outcome, signedUntil };
  }

  /** Whether new work is rejected. */
  getDraining() {
    return { draining: this.#ports.draining.get() };
  }

  /** Starts or ends the draining: `/readyz` is 503 and new work is rejected, while running games go on. */
  async setDraining(isDraining: boolean, reason: string) {
    const { draining, store } = this.#ports;
    const before = draining.get();
    if (before !== isDraining) {
      await store.operator.addAuditRow({
        ...this.#createStamp(),
        action: isDraining ? "service.drain" : "service.resume",
        subject: "service",
        before: JSON.stringify({ draining: before }),
        after: JSON.stringify({ draining: isDraining, reason }),
      });
      draining.set(isDraining);
    }
    return { draining: isDraining };
  }

  #createStamp(): AuditStamp {
    const { clock, randomBytes } = this.#ports;
    const atMs = clock.nowMs();
    return { auditId: uuidV7(atMs, randomBytes(10)), who: WHO, atMs };
  }

  async #createEndedError(sessionId: string): Promise<ArcadeError> {
    const row = await this.#ports.store.sessions.find(sessionId);
    if (row === null) return createRejection("unknown", sessionId);
    return new ArcadeError("SESSION_ENDED", `Session ${sessionId} has ended already (${row.endReason}).`, {
      sessionId,
    });
  }

  #toSessionViews(rows: readonly SessionRow[]) {
    return Promise.all(rows.map((row) => this.#toSessionView(row)));
  }

  async #toSessionView(row: SessionRow) {
    const { sessionId, slug, source, wallet, agentName, startedAtMs, tickHz } = row;
    const running = row.phase === "ended" ? null : await this.#ports.live.peekView(sessionId);
    return {
      sessionId,
      slug,
      source,
      walletAddress: wallet,
      agentName,
      tickHz,
      phase: running?.phase ?? row.phase,
      score: running?.score ?? row.score,
      tick: running?.tick ?? row.tick,
      joined: running?.joined ?? false,
      spectators: running?.spectators ?? { current: 0, max: 0 },
      verification: row.verification,
      startedAt: toIso(startedAtMs),
      endReason: row.endReason,
      ...(isHouseSession(row) ? { house: true as const } : {}),
    };
  }
}

const toTransactionView = (row: TransactionRow, finality: BlockFinality) => ({
  transactionId: row.id,
  state: toTransactionState(row, finality),
  kind: row.kind,
  key: row.key,
  status: row.status,
  from: row.from,
  to: row.to,
  nonce: row.nonce,
  txHash: row.txHash,
  block: row.block,
  maxFeePerGas: row.maxFeePerGas.toString(),
  createdAt: toIso(row.createdAtMs),
  sentAt: toIsoOrNull(row.sentAtMs),
  lastError: row.lastError,
});

const toPayoutView = (payout: PayoutRow, transaction: TransactionRow | null) => ({
  payoutId: payout.payoutId,
  walletAddress: payout.wallet,
  status: payout.status,
  score: Number(payout.score),
  amount: payout.amount.toString(),
  createdAt: toIso(payout.createdAtMs),
  nonce: transaction?.nonce ?? null,
  txHash: transaction?.txHash ?? payout.txHash,
  lastError: transaction?.lastError ?? null,
});
