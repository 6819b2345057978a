import { REGISTRATION_FILES_PATH } from "../../domain/identity.ts";
import { DAY_SECONDS } from "../../domain/time.ts";
import type { ArcadeParameters, Stage } from "./parameters.ts";
import { isPublicHost } from "./public-host.ts";
import { formatTokens } from "./token-amount.ts";

const YEAR_SECONDS = 365 * DAY_SECONDS;
/** Limits of the contracts: bytes of a base URI, points in 40 bits, royalty, tiers, seconds of a delay. */
const MAX_BASE_URI_BYTES = 96;
const MAX_POINTS = 2n ** 40n - 1n;
const MAX_ROYALTY_BASIS_POINTS = 1_000;
const MAX_TIERS = 8;
const MAX_DELAY_SECONDS = 30 * DAY_SECONDS;

/** The minimum delay of a new signer, an admin transfer and a timelock. */
export const LEAST_DELAY_SECONDS: { readonly [stage in Stage]: number } = {
  local: 0,
  testnet: 60,
  mainnet: DAY_SECONDS,
};

/** Collects the message of every condition that does not hold. */
class Expectations {
  readonly errors: string[] = [];

  expect(holds: boolean, error: string): void {
    if (!holds) this.errors.push(error);
  }
}

const isReachable = (publicUrl: string): boolean => {
  const { protocol, hostname } = new URL(publicUrl);
  return isPublicHost(hostname) && protocol === "https:";
};

function checkUrl({ publicUrl }: ArcadeParameters, stage: Stage, expectations: Expectations): void {
  const bytes = new TextEncoder().encode(`${publicUrl}${REGISTRATION_FILES_PATH}`).length;
  expectations.expect(
    bytes <= MAX_BASE_URI_BYTES,
    `publicUrl: at most ${MAX_BASE_URI_BYTES} bytes with ${REGISTRATION_FILES_PATH}, received ${bytes}`,
  );
  expectations.expect(
    stage !== "mainnet" || isReachable(publicUrl),
    `publicUrl: an https URL that wallets can reach is required because tokens have a price here, received ${publicUrl}`,
  );
}

function checkDelays(parameters: ArcadeParameters, stage: Stage, expectations: Expectations): void {
  const least = LEAST_DELAY_SECONDS[stage];
  for (const name of ["signerDelaySeconds", "adminDelaySeconds"] as const) {
    const seconds = parameters[name];
    expectations.expect(seconds >= least, `${name}: at least ${least} on a ${stage}, received ${seconds}`);
    expectations.expect(seconds <= MAX_DELAY_SECONDS, `${name}: at most ${MAX_DELAY_SECONDS}, received ${seconds}`);
  }
}

function checkLimits({ rewards, float, token }: ArcadeParameters, expectations: Expectations): void {
  const { scoreToTokenRate: rate, payoutCooldownSeconds: cooldown, minScore, maxPayout, dailyCap, weeklyCap } = rewards;
  expectations.expect(rate > 0n, "scoreToTokenRate: at least 1, received 0");
  expectations.expect(
    cooldown >= 1 && cooldown <= YEAR_SECONDS,
    `payoutCooldownSeconds: from 1 to ${YEAR_SECONDS}, received ${cooldown}`,
  );
  expectations.expect(
    minScore >= 1n && minScore <= MAX_POINTS,
    `minScore: from 1 to ${MAX_POINTS}, received ${minScore}`,
  );
  for (const [name, amount] of Object.entries({ maxPayout, dailyCap, weeklyCap })) {
    const most = MAX_POINTS * rate;
    expectations.expect(amount <= most, `${name}: at most ${most} at this rate, received ${amount}`);
  }
  expectations.expect(minScore * rate <= maxPayout, "maxPayout: smaller than what the minimum score earns");
  expectations.expect(maxPayout <= dailyCap, "dailyCap: smaller than maxPayout");
  expectations.expect(dailyCap <= weeklyCap, "dailyCap: larger than weeklyCap");
  expectations.expect(float <= token.supply, "float: larger than the supply of the token");
}

function checkGames({ games, signers }: ArcadeParameters, expectations: Expectations): void {
  for (const { slug, nft } of games) {
    expectations.expect(signers.nft[slug] !== undefined, `signers.nft: no signer for the game ${slug}`);
    expectations.expect(
      nft.tiers.length > 0 && nft.tiers.length <= MAX_TIERS,
      `games.${slug}: from 1 to ${MAX_TIERS} tiers, received ${nft.tiers.length}`,
    );
  }
}

/** All errors of the parameters as sentences; empty if they can be deployed. */
export function findParameterErrors(parameters: ArcadeParameters, stage: Stage): readonly string[] {
  const { signers, operator, royaltyBasisPoints: royalty } = parameters;
  const keys = [signers.identity, signers.score, ...Object.values(signers.nft), operator];
  const uniqueKeys = new Set(keys.map((address) => address.toLowerCase()));
  const expectations = new Expectations();
  checkDelays(parameters, stage, expectations);
  checkUrl(parameters, stage, expectations);
  checkLimits(parameters, expectations);
  checkGames(parameters, expectations);
  expectations.expect(
    royalty <= MAX_ROYALTY_BASIS_POINTS,
    `royaltyBasisPoints: at most ${MAX_ROYALTY_BASIS_POINTS}, received ${royalty}`,
  );
  expectations.expect(
    uniqueKeys.size === keys.length,
    "signers: expected a different key for each duty, but two have the same address",
  );
  return expectations.errors;
}

/** Parameters that are allowed but probably a mistake. */
export function findParameterWarnings({ rewards, float, token, publicUrl }: ArcadeParameters): readonly string[] {
  const warnings: string[] = [];
  if (float < rewards.dailyCap)
    warnings.push(
      `float: ${formatTokens(float, token)} is less than the daily cap of ${formatTokens(rewards.dailyCap, token)}: payouts can stop before the cap is reached`,
    );
  if (!isReachable(publicUrl))
    warnings.push(
      `publicUrl: wallets and explorers cannot load token documents from ${publicUrl}; use https at a public host`,
    );
  return warnings;
}
