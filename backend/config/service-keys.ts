import type { Hex } from "viem";
import type { KeySource } from "../../domain/keys.ts";
import { type GameList, gameList } from "../../games/index.ts";
import type { Secrets } from "./config.ts";
import { developmentServiceAccount } from "./dev-keys.ts";

/** The signers and the operator's key on any chain; on the local chain also the service's other keys. */
export interface ServiceKeys<Key extends KeySource = KeySource> {
  readonly admin: Hex;
  readonly guardian: Hex;
  readonly operator: Key;
  readonly identity: Key;
  readonly score: Key;
  readonly nft: { readonly [slug: string]: Key };
}

/** The local chain's keys if none are configured. */
export function getDevelopmentKeys({ games }: Pick<GameList, "games"> = gameList): ServiceKeys<Hex> {
  const development = (offset: number): Hex => developmentServiceAccount(offset).privateKey;
  return {
    admin: development(0),
    guardian: development(1),
    operator: development(2),
    identity: development(3),
    score: development(4),
    nft: Object.fromEntries(games.map(({ slug }, index) => [slug, development(5 + index)])),
  };
}

/** The configured keys. Development keys replace missing ones, which only the local chain allows. */
export function getServiceKeys(secrets: Secrets, games: Pick<GameList, "games"> = gameList): ServiceKeys {
  const { admin, guardian, ...missing } = getDevelopmentKeys(games);
  const choose = (configured: KeySource | null | undefined, development: Hex): KeySource => {
    if (configured == null) return development;
    return typeof configured === "string" ? configured : { ...configured, token: secrets.signerToken };
  };
  return {
    admin,
    guardian,
    operator: choose(secrets.operator, missing.operator),
    identity: choose(secrets.identitySigner, missing.identity),
    score: choose(secrets.scoreSigner, missing.score),
    nft: Object.fromEntries(
      Object.entries(missing.nft).map(([slug, development]) => [slug, choose(secrets.nftSigners[slug], development)]),
    ),
  };
}
