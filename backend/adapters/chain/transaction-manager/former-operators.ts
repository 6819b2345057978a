import type { Address } from "viem";
import { ArcadeError } from "../../../../domain/errors.ts";
import type { TransactionRow } from "../../../ports/store/chain.ts";
import { type OperatorAccount, unlessSignerAway } from "./account.ts";
import { findBlockChange } from "./block-change.ts";
import { Findings, type PollResult } from "./findings.ts";
import { isInBlock, Locator, type Lookup, type MinedLookup } from "./locator.ts";
import { NOT_OPERATOR, type Resubmission, type ResubmissionOptions } from "./resubmission.ts";
import { findCallByNonce } from "./used-nonce.ts";

export interface FormerOperatorsOptions extends ResubmissionOptions {
  readonly resubmission: Resubmission;
  /** The number of the latest block that no reorganization can undo. */
  readonly readFinalBlock: () => Promise<number>;
}

/** The number of polls between two checks of transactions that are in a block. */
const BLOCK_POLLS = 8;
/** The length of the start of a call's data, which identifies its function. */
const SELECTOR_CHARACTERS = 10;

interface Pass {
  readonly head: number;
  /** The latest block that no reorganization can undo; -1 if it is not known. */
  readonly finalBlock: number;
  /** The lowest unused nonce of the sender. */
  readonly minedCount: number;
  /** Whether the contract rejects the sender, by contract and function. */
  readonly isRejected: (row: TransactionRow) => Promise<boolean>;
}

/** An account without its key. */
const createAccountOf = (address: Address): OperatorAccount => ({
  address,
  signTransaction: async () => {
    throw new ArcadeError("SIGNER_UNAVAILABLE", `The service does not have the key of the former operator ${address}.`);
  },
});

/**
 * The transactions that former operators of this store left. They are resent unchanged, and followed until their blocks
 * are final. If no block can include one, the current operator signs its call again.
 */
export class FormerOperators {
  readonly #options: FormerOperatorsOptions;
  readonly #counts = { included: 0, failed: 0, reorganized: 0 };
  #polls = 0;

  constructor(options: FormerOperatorsOptions) {
    this.#options = options;
  }

  get counts(): { readonly included: number; readonly failed: number; readonly reorganized: number } {
    return this.#counts;
  }

  /** `isFull`: check all transactions; otherwise those in blocks are checked only from time to time. */
  async reconcile(isFull: boolean): Promise<PollResult> {
    const { account, wallet, store, readFinalBlock } = this.#options;
    const all = await store.listUnsettledOfOthers(account.address);
    if (all.length === 0) return { waiting: 0, youngestDepth: null };
    const isDue = isFull || this.#polls % BLOCK_POLLS === 0;
    this.#polls += 1;
    const finalBlock = isDue ? await readFinalBlock().catch(() => -1) : -1;
    const { head } = await wallet.readHead(0);
    const due = all.filter(({ block }) => isDue || block === null);
    for (const [from, rows] of Map.groupBy(due, (row) => row.from)) {
      const minedCount = await wallet.getMinedCount(from);
      const isRejected = this.#createRoleCheck(head.number);
      await this.#reconcileSender(from, rows, { head: head.number, finalBlock, minedCount, isRejected });
    }
    const blocks = all.flatMap(({ block }) => (block === null ? [] : [block]));
    return {
      waiting: all.length - blocks.length,
      youngestDepth: blocks.length === 0 ? null : head.number - Math.max(...blocks),
    };
  }

  async #reconcileSender(from: Address, rows: readonly TransactionRow[], pass: Pass): Promise<void> {
    const { wallet, store, sender } = this.#options;
    const locator = new Locator({ account: createAccountOf(from), wallet });
    const lookups = await locator.locate(rows, null, pass.minedCount);
    const findings = new Findings();
    for (const row of rows) await this.#reconcileRow(row, lookups.get(row.id)!, pass, findings);
    try {
      await sender.send(findings.toSend);
    } finally {
      await findings.store(store);
    }
  }

  async #reconcileRow(row: TransactionRow, lookup: Lookup, pass: Pass, findings: Findings): Promise<void> {
    const { resubmission, store, log, wallet, clock } = this.#options;
    const isUsed = row.nonce < pass.minedCount;
    const found = lookup.at === "unknown" && isUsed ? await findCallByNonce(wallet, row, pass.head) : lookup;
    const { at } = found;
    if (at === "unknown" && isUsed) return;
    if (isInBlock(found)) return await this.#recordBlock(row, found, pass.finalBlock, findings);
    const waiting = { ...row, status: row.status === "queued" ? ("queued" as const) : ("sent" as const), block: null };
    if (row.block !== null) {
      log.warn({ transaction: row.id, block: row.block }, "a former operator's transaction lost its block");
      this.#counts.reorganized += 1;
      await store.update(row.id, { status: waiting.status, block: null });
    }
    if (isUsed)
      return await unlessSignerAway(row, log, async () => {
        const used = await resubmission.onNonceUsed(waiting, pass.head);
        if (isInBlock(used)) await this.#recordBlock(waiting, used, pass.finalBlock, findings);
      });
    if (await pass.isRejected(row)) return await unlessSignerAway(row, log, () => resubmission.onRejected(waiting));
    resubmission.forget(row.id);
    if (at !== "known") findings.send(waiting);
    // Its process has ended between sending it and storing that.
    else if (waiting.status === "queued") findings.change(row.id, { status: "sent", sentAtMs: clock.nowMs() });
  }

  async #recordBlock(row: TransactionRow, lookup: MinedLookup, finalBlock: number, findings: Findings): Promise<void> {
    const { resubmission, wallet, clock } = this.#options;
    resubmission.forget(row.id);
    if (lookup.at.block <= finalBlock) findings.change(row.id, { settledAtMs: clock.nowMs() });
    const change = await findBlockChange(wallet, row, lookup);
    if (change === null) return;
    if (row.status !== change.status) this.#counts[change.status] += 1;
    findings.change(row.id, change);
  }

  /**
   * Whether the contract rejects a sender that is not an operator, both at the head and before the last blocks: then
   * its transaction can only revert.
   */
  #createRoleCheck(head: number): (row: TransactionRow) => Promise<boolean> {
    const { wallet, resubmission } = this.#options;
    const isRejectedAt = async (row: TransactionRow, block: number): Promise<boolean> =>
      (await wallet.findRevert(row, block))?.startsWith(`${NOT_OPERATOR}(`) ?? false;
    const before = resubmission.getOldBlock(head);
    const known = new Map<string, Promise<boolean>>();
    return (row) => {
      const key = `${row.to}:${row.data.slice(0, SELECTOR_CHARACTERS)}`;
      const check = async (): Promise<boolean> =>
        (await isRejectedAt(row, head)) && (before === null || (await isRejectedAt(row, before)));
      const result = known.get(key) ?? check();
      known.set(key, result);
      return result;
    };
  }
}
