import type { Hex } from "viem";
import { type GameList, gameList } from "../games/index.ts";
import type { Secrets } from "./config.ts";
import { developmentServiceAccount } from "./dev-keys.ts";

/** The service's own keys on the local chain, and of them the signers and the operator on every chain. */
export interface ServiceKeys {
  readonly admin: Hex;
  readonly guardian: Hex;
  readonly operator: Hex;
  readonly identity: Hex;
  readonly score: Hex;
  readonly nft: { readonly [slug: string]: Hex };
}

/** The configured keys; the development keys take the place of missing ones, which only the local chain allows. */
export function getServiceKeys(secrets: Secrets, { games }: Pick<GameList, "games"> = gameList): ServiceKeys {
  const development = (offset: number): Hex => developmentServiceAccount(offset).privateKey;
  return {
    admin: development(0),
    guardian: development(1),
    operator: secrets.operator ?? development(2),
    identity: secrets.identitySigner ?? development(3),
    score: secrets.scoreSigner ?? development(4),
    nft: Object.fromEntries(games.map(({ slug }, index) => [slug, secrets.nftSigners[slug] ?? development(5 + index)])),
  };
}
