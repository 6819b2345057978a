/** Transactions of other wallets whose gas the operator pays. */
import type { Address, Hex } from "viem";
import type { RelayKind, SponsorshipBounds, SponsorshipUsage } from "../../../domain/sponsorship.ts";

export interface RelayRow {
  readonly relayId: string;
  readonly kind: RelayKind;
  /** What is relayed: the same for a repeated request. */
  readonly key: string;
  readonly wallet: Address;
  /** Who the gas is counted for: an agent's id, or the wallet that registers its identity. */
  readonly identity: string;
  /** The key of the caller's address. */
  readonly ip: string;
  /** The UTC day since 1970. */
  readonly day: number;
  /** The gas limit of its transaction. */
  readonly gas: number;
  readonly transactionId: string;
  readonly createdAtMs: number;
}

/** A relay that is stored in the same commit as its transaction if it is then within the bounds of its day. */
export type RelayIntent = Omit<RelayRow, "gas" | "transactionId"> & { readonly bounds: SponsorshipBounds };

/** A relay with the transaction that it is stored with. */
export type NewRelay = RelayRow & Pick<RelayIntent, "bounds">;

export interface RelayState {
  readonly relay: RelayRow;
  readonly transaction: {
    readonly status: "queued" | "sent" | "included" | "failed";
    readonly txHash: Hex;
    readonly block: number | null;
  };
}

export interface RelayStore {
  find(relayId: string): Promise<RelayState | null>;
  findLatest(wallet: Address, kind: RelayKind, key: string): Promise<RelayState | null>;
  readDayTotals(day: number): Promise<Pick<SponsorshipUsage, "gas" | "mintGas">>;
  /** What the day's relays have used so far: all callers, this identity, this address and this wallet. */
  readUsage(of: Pick<RelayRow, "day" | "identity" | "ip" | "wallet">): Promise<SponsorshipUsage>;
}
