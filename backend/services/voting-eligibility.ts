import { ArcadeError } from "../domain/errors.ts";
import { type IneligibleReason, VOTING_TIMES } from "../domain/voting.ts";
import type { Address, CycleRow } from "../ports.ts";
import type { VotingPorts } from "./voting.ts";

/** So many sessions without a verdict are derived again for one vote. */
const SESSIONS_VERIFIED = 3;

/** Whether a wallet may vote as an agent: a wallet is free, an identity in time and a played session are not. */
export function makeEligibility({
  store,
  chain,
  verify,
  isLocal,
}: Pick<VotingPorts, "store" | "chain" | "verify" | "isLocal">) {
  const seconds = VOTING_TIMES.sessionSeconds;

  async function hasPlayed(wallet: Address): Promise<boolean> {
    if ((await store.findPlayed(wallet, seconds, "verified")) !== null) return true;
    for (let tries = 0; tries < SESSIONS_VERIFIED; tries += 1) {
      const row = await store.findPlayed(wallet, seconds, "pending");
      if (row === null) return false;
      if ((await verify(row)) === "verified") return true;
    }
    return false;
  }

  /** The identity that votes. Throws `VOTE_NOT_ELIGIBLE` with every reason. */
  return async function checkEligible(wallet: Address, cycle: CycleRow): Promise<string> {
    const [agentId, played] = await Promise.all([
      isLocal ? chain.identityOf(wallet) : chain.identityAt(wallet, cycle.openingBlock),
      hasPlayed(wallet),
    ]);
    const reasons: IneligibleReason[] = [
      ...(agentId === null ? (["IDENTITY_NOT_HELD"] as const) : []),
      ...(played ? [] : (["NO_VERIFIED_SESSION"] as const)),
    ];
    if (agentId !== null && played) return agentId.toString();
    const held = isLocal ? "an agent identity" : `an agent identity since block ${cycle.openingBlock} or before`;
    throw new ArcadeError(
      "VOTE_NOT_ELIGIBLE",
      `An ai_agent vote needs ${held} and one verified agent_api session of at least ${seconds} s; ${wallet} lacks ${reasons.map((reason) => (reason === "IDENTITY_NOT_HELD" ? "the identity" : "the session")).join(" and ")}.`,
      { reasons, openingBlock: cycle.openingBlock, sessionSeconds: seconds },
    );
  };
}
