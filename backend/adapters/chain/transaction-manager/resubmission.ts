import { parseTransaction, type TransactionSerializedEIP1559 } from "viem";
import { ArcadeError } from "../../../../domain/errors.ts";
import { checkOperatorCall, type OperatorPolicy, OperatorPolicyError } from "../../../../domain/operator-policy.ts";
import { AGAINST_POLICY, REPLACED } from "../../../../domain/operator-transactions.ts";
import type { TransactionRow, TransactionStore } from "../../../ports/store/chain.ts";
import type { Clock, Log } from "../../../ports/system.ts";
import type { OperatorAccount } from "./account.ts";
import type { Lookup } from "./locator.ts";
import type { AccountState, OperatorWallet } from "./operator-wallet.ts";
import type { Sender } from "./sender.ts";
import type { SerialQueue } from "./serial-queue.ts";
import { findCallByNonce } from "./used-nonce.ts";

/** A transaction counts as lost after this many polls: a node may be a block behind. */
const LOST_POLLS = 3;
/**
 * And after this many blocks: trusted nodes may lag by as many, and not know recent transactions. The local chain has
 * one node, and no new blocks while idle.
 */
const LOST_BLOCKS = { local: 0, public: 3 };

const NOT_FOUND: Lookup = { version: null, at: null };

/** The rewards contract's error for a caller that is not an operator. */
export const NOT_OPERATOR = "NotWalletOrOperator";

export interface ResubmissionOptions {
  readonly account: OperatorAccount;
  readonly wallet: OperatorWallet;
  readonly store: TransactionStore;
  readonly sender: Sender;
  /** Nonces are assigned inside this queue. */
  readonly nonces: SerialQueue;
  readonly clock: Clock;
  readonly log: Log;
  /** Whether the chain is the local one. */
  readonly isLocal: boolean;
  /** Limits what the key signs; null: no limits. */
  readonly policy?: OperatorPolicy | null;
  /** Called for a stored call that the policy does not allow. */
  readonly onRefused: (call: TransactionRow, error: Error) => void;
}

/** Signs calls again if their transaction can no longer get into a block. */
export class Resubmission {
  readonly #options: ResubmissionOptions;
  /** The number of consecutive polls that found a row's transaction lost, by row id. */
  readonly #lostPolls = new Map<string, number>();
  #rejected = 0;

  constructor(options: ResubmissionOptions) {
    this.#options = options;
  }

  /** Calls that have failed because the contract or the policy rejects them now. */
  get rejected(): number {
    return this.#rejected;
  }

  /** For a row whose transaction is not lost. */
  forget(id: string): void {
    this.#lostPolls.delete(id);
  }

  /** The latest block that every trusted node has; null if it is the head. */
  getOldBlock(head: number): number | null {
    const blocks = this.#options.isLocal ? LOST_BLOCKS.local : LOST_BLOCKS.public;
    return blocks === 0 ? null : Math.max(0, head - blocks);
  }

  /**
   * Handles a transaction that no block seems to have although its nonce is used. After enough polls, reads the block
   * that used the nonce: if the call is in it, it is not signed again. `head`: the latest block.
   */
  async onNonceUsed(row: TransactionRow, head: number): Promise<Lookup> {
    const { wallet } = this.#options;
    const block = this.getOldBlock(head);
    const count = block === null ? null : await wallet.getMinedCountAt(block, row.from);
    const isUsed = count === null || count > row.nonce;
    if (!isUsed || !this.#isLost(row)) return NOT_FOUND;
    const used = await findCallByNonce(wallet, row, head);
    if (used.at === null) await this.#signAnewOrFail(row);
    return used;
  }

  /**
   * Handles a poll's finding that no block can include the transaction. After enough such polls its call is signed
   * again, or fails.
   */
  async onRejected(row: TransactionRow): Promise<void> {
    if (this.#isLost(row)) await this.#signAnewOrFail(row);
  }

  #isLost({ id }: TransactionRow): boolean {
    const polls = (this.#lostPolls.get(id) ?? 0) + 1;
    this.#lostPolls.set(id, polls);
    if (polls < LOST_POLLS) return false;
    this.#lostPolls.delete(id);
    return true;
  }

  async #signAnewOrFail(row: TransactionRow): Promise<void> {
    if (row.cancelledRaw !== null) return await this.#fail(row, REPLACED);
    if (!this.#isAllowed(row)) return await this.#reject(row, AGAINST_POLICY);
    const { state, gas } = await this.#options.wallet.prepare([{ ...row, gasMax: this.#getGasMax(row) }]);
    const estimate = gas[0]!;
    if (!(estimate instanceof ArcadeError)) return await this.#signAnew(row, state, estimate);
    if (estimate.code !== "TX_FAILED") throw estimate;
    // The new operator may get its role later; until then the call waits.
    if (estimate.fields.revert !== NOT_OPERATOR) await this.#reject(row, estimate.message);
  }

  /** Checks the policy: the row may be another operator's, which had another policy. */
  #isAllowed(row: TransactionRow): boolean {
    const { policy = null, onRefused } = this.#options;
    if (policy === null) return true;
    try {
      checkOperatorCall(policy, row);
      return true;
    } catch (error) {
      if (!(error instanceof OperatorPolicyError)) throw error;
      onRefused(row, error);
      return false;
    }
  }

  /** The wallet of a relay was charged for the gas of the first signature. */
  #getGasMax({ kind, raw }: TransactionRow): bigint | null {
    const byPolicy = this.#options.policy?.gasPerCall ?? null;
    if (kind !== "relay") return byPolicy;
    const charged = parseTransaction(raw as TransactionSerializedEIP1559).gas!;
    return byPolicy === null || charged < byPolicy ? charged : byPolicy;
  }

  async #reject(row: TransactionRow, reason: string | null): Promise<void> {
    this.#rejected += 1;
    await this.#fail(row, reason);
  }

  #fail({ id }: TransactionRow, lastError: string | null): Promise<void> {
    const { store, clock } = this.#options;
    return store.update(id, { status: "failed", lastError, settledAtMs: clock.nowMs() });
  }

  /** Stores operator, nonce and bytes in one commit, before they are sent. */
  async #signAnew(row: TransactionRow, state: AccountState, gas: bigint): Promise<void> {
    const { account, wallet, store, sender, nonces, log } = this.#options;
    const resubmitted = await nonces.run(async () => {
      const nonce = Math.max(state.minedCount, ((await store.getLastNonce(account.address)) ?? -1) + 1);
      const signed = await wallet.sign(row, nonce, { ...state, gas });
      const queued = { status: "queued" as const, block: null, sentAtMs: null, lastError: null };
      const change = { ...signed, from: account.address, nonce, ...queued };
      // If another backend has signed the call by now, this version is not sent.
      if (!(await store.replace(row, change))) return null;
      const fields = { transaction: row.id, from: row.nonce, to: nonce, signedBy: row.from };
      log.warn(fields, "a transaction can no longer get into a block; signing its call again");
      return { ...row, ...change };
    });
    if (resubmitted !== null) await sender.send([resubmitted]);
  }
}
