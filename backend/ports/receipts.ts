/** Transactions in blocks, with the events of the deployment's contracts. */
import type { Address, Hex } from "viem";

export type ReceiptEvent =
  | {
      readonly name: "GameNftMinted";
      readonly slug: string;
      readonly wallet: Address;
      readonly tokenId: bigint;
      readonly score: bigint;
      readonly tier: number;
    }
  | {
      readonly name: "GameNftUpgraded";
      readonly slug: string;
      readonly wallet: Address;
      readonly tokenId: bigint;
      readonly oldScore: bigint;
      readonly score: bigint;
      readonly tier: number;
    }
  | {
      readonly name: "ScoreSnapshot";
      readonly wallet: Address;
      readonly gameId: Hex;
      readonly gameSessionHash: Hex;
      readonly score: bigint;
      readonly scorebank: bigint;
    }
  | {
      readonly name: "Payout";
      readonly wallet: Address;
      readonly day: bigint;
      readonly score: bigint;
      readonly amount: bigint;
      /** Points that stay in the bank. */
      readonly scorebank: bigint;
    }
  | {
      readonly name: "GameNftAnnulled";
      readonly slug: string;
      readonly tokenId: bigint;
      /** The guardian or the admin. */
      readonly by: Address;
    }
  /** A token of a game, or an identity if `slug` is null; mints come from the zero address. */
  | {
      readonly name: "Transfer";
      readonly slug: string | null;
      readonly from: Address;
      readonly to: Address;
      readonly tokenId: bigint;
    }
  | {
      readonly name: "SessionCancelled" | "SessionRestored";
      readonly wallet: Address;
      readonly gameSessionHash: Hex;
      readonly by: Address;
    }
  /** `by`: the guardian or the admin; zero for the part of a score above the bound of one session. */
  | {
      readonly name: "PointsVoided" | "PointsRestored";
      readonly wallet: Address;
      readonly points: bigint;
      readonly scorebank: bigint;
      readonly by: Address;
    }
  | { readonly name: "URIUpdated"; readonly agentId: bigint; readonly newURI: string; readonly updatedBy: Address }
  /** The base URI of identities without their own URI. */
  | { readonly name: "BaseURISet"; readonly baseURI: string }
  /** `agentId` is 0 if the wallet gave its primary identity away. */
  | { readonly name: "PrimaryIdentitySet"; readonly wallet: Address; readonly agentId: bigint }
  | { readonly name: "Registered"; readonly agentId: bigint; readonly tokenURI: string; readonly owner: Address };

export interface Receipt {
  readonly txHash: Hex;
  readonly status: "success" | "reverted";
  readonly block: number;
  readonly blockHash: Hex;
  /** Events of the deployment's own contracts, in log order. */
  readonly events: readonly ReceiptEvent[];
}
