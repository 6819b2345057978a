/** What the operator pays for other wallets' transactions, and the limits of a day (UTC). */
import { DAY_MS } from "./time.ts";

export const RELAY_KINDS = ["identity", "snapshot", "snapshot_batch", "nft"] as const;
export type RelayKind = (typeof RELAY_KINDS)[number];

/** Gas per day; null: no limit. */
export interface SponsorshipBounds {
  readonly gasPerDay: number;
  /** The part of `gasPerDay` for identity mints, which need no played session. */
  readonly mintGasPerDay: number;
  readonly gasPerIdentity: number;
  readonly gasPerAddress: number | null;
  /** Identity mints. */
  readonly mintsPerWallet: number;
  readonly mintsPerAddress: number | null;
}

/**
 * The configured limits. Identities, which cost an attacker no played session, use at most half of a day's gas. If
 * addresses are not limited (`gasPerAddress` null), neither are their identities.
 */
export const createSponsorshipBounds = (
  settings: Pick<SponsorshipBounds, "gasPerDay" | "gasPerIdentity" | "gasPerAddress">,
): SponsorshipBounds => ({
  ...settings,
  mintGasPerDay: Math.floor(settings.gasPerDay / 2),
  mintsPerWallet: 1,
  mintsPerAddress: settings.gasPerAddress === null ? null : 1,
});

/** What the relays of one day have used so far. */
export interface SponsorshipUsage {
  readonly gas: number;
  readonly mintGas: number;
  readonly gasOfIdentity: number;
  readonly gasOfAddress: number;
  readonly mintsOfWallet: number;
  readonly mintsOfAddress: number;
}

export type SponsorshipBound = keyof SponsorshipBounds;

export const toSponsorshipDay = (atMs: number): number => Math.floor(atMs / DAY_MS);

/** The first limit that a relay with this gas would exceed; null if it fits. */
export function findExceededBound(
  { kind, gas }: { readonly kind: RelayKind; readonly gas: number },
  usage: SponsorshipUsage,
  bounds: SponsorshipBounds,
): SponsorshipBound | null {
  const isMint = kind === "identity";
  const after: { readonly [bound in SponsorshipBound]: number } = {
    gasPerDay: usage.gas + gas,
    mintGasPerDay: isMint ? usage.mintGas + gas : 0,
    gasPerIdentity: usage.gasOfIdentity + gas,
    gasPerAddress: usage.gasOfAddress + gas,
    mintsPerWallet: isMint ? usage.mintsOfWallet + 1 : 0,
    mintsPerAddress: isMint ? usage.mintsOfAddress + 1 : 0,
  };
  const names = Object.keys(after) as SponsorshipBound[];
  return names.find((name) => after[name] > (bounds[name] ?? Number.POSITIVE_INFINITY)) ?? null;
}

/** No transaction of the batch was stored, because of these relays: the limit that each would exceed, by relay id. */
export class SponsorshipExceededError extends Error {
  readonly exceeded: ReadonlyMap<string, SponsorshipBound>;

  constructor(exceeded: ReadonlyMap<string, SponsorshipBound>) {
    super(`relays beyond the day's bounds: ${exceeded.size}`);
    this.name = "SponsorshipExceededError";
    this.exceeded = exceeded;
  }
}
