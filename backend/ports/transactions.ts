/** The operator's transactions. */
import type { Address, Hex } from "viem";
import type { TransactionOrder, TransactionOrderOutcome } from "../../domain/operator-transactions.ts";
import type { RelayIntent } from "./store/relays.ts";

export type TransactionStatus = "queued" | "sent" | "included" | "failed";

export interface ManagedTransaction {
  readonly id: string;
  readonly kind: string;
  readonly key: string;
  readonly status: TransactionStatus;
  readonly txHash: Hex | null;
  readonly block: number | null;
  /** True if no reorganization can change it. */
  readonly isFinal: boolean;
}

/** Outcomes of the operator's transactions since the process started. */
export interface TransactionCounts {
  readonly included: number;
  /** Reverted in their block, or rejected by the contract. */
  readonly failed: number;
  /** Rejected by the node, for each new reason. */
  readonly refused: number;
  /** Sent again with higher fees. */
  readonly bumped: number;
  /** Lost their block to a reorganization. */
  readonly reorganized: number;
  /** Had to wait because the network's fee is above the operator's fee cap. */
  readonly aboveFeeCap: number;
  /** Rejected before they were signed: the operator's policy does not allow the call. */
  readonly againstPolicy: number;
}

/** The operator's transactions: stored before they are broadcast, in nonce order, and reconciled after a crash. */
export interface ChainWriter {
  readonly operator: Address;
  /**
   * Returns the transaction of this (kind, key): the existing one, or a new one. Throws `TX_FAILED` if the contract
   * rejects the call, `OperatorPolicyError` if the operator does not sign such calls, and `SponsorshipExceededError`
   * if a relay is beyond the bounds of its day.
   */
  submit(request: {
    readonly kind: string;
    readonly key: string;
    readonly to: Address;
    readonly data: Hex;
    readonly value?: bigint;
    /** Counted and stored together with the transaction. */
    readonly relay?: RelayIntent;
  }): Promise<ManagedTransaction>;
  /** Resolves when the transaction is included or failed, or with its current state after `timeoutMs`. */
  waitForTransaction(id: string, timeoutMs: number): Promise<ManagedTransaction>;
  find(id: string): Promise<ManagedTransaction | null>;
  /** Looks the transaction up on the chain, updates its row accordingly, and returns it. Throws `CHAIN_UNAVAILABLE`. */
  refresh(id: string): Promise<ManagedTransaction>;
  /**
   * Raises the fees of a waiting transaction, or replaces it by an empty transfer with the same nonce. Throws
   * `CHAIN_UNAVAILABLE`. `orderId`: the stored order, which is completed in the same commit as the replacement.
   */
  order(id: string, order: TransactionOrder, orderId?: string | null): Promise<TransactionOrderOutcome>;
  /** Calls back after each poll of the chain; the returned function removes the callback. */
  onPolled(callback: () => void): () => void;
  counts(): TransactionCounts;
  /** The operator's balance for gas, in wei. Throws `CHAIN_UNAVAILABLE`. */
  getBalance(): Promise<bigint>;
}
