import type { Address } from "viem";

export interface ProfileRow {
  readonly wallet: Address;
  readonly agentName: string;
  readonly bio: string;
  readonly links: readonly string[];
  readonly image: string | null;
  readonly services: readonly { readonly name: string; readonly endpoint: string }[];
  readonly updatedAtMs: number;
}

export type ProfileFields = Omit<ProfileRow, "wallet" | "updatedAtMs">;

export interface IdentityStore {
  /** Metadata documents by the sha256 of their exact bytes. */
  /** `wallet`: the document is kept only if this wallet mints an identity; null: it is kept forever. */
  putMetadata(document: {
    readonly digest: string;
    readonly bytes: string;
    readonly atMs: number;
    readonly wallet: Address | null;
  }): Promise<void>;
  findMetadata(digest: string): Promise<string | null>;
  putProfile(row: ProfileRow): Promise<void>;
  /**
   * Changes only the given fields; a wallet's first profile gets the others from `first`. Returns the new profile.
   */
  changeProfile(
    wallet: Address,
    change: Partial<ProfileFields>,
    first: ProfileFields,
    atMs: number,
  ): Promise<ProfileRow>;
  findProfile(wallet: Address): Promise<ProfileRow | null>;
}
