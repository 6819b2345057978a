import type { Address } from "viem";
import { ArcadeError } from "../../../domain/errors.ts";
import { type IneligibleReason, VOTING_TIMES } from "../../../domain/voting.ts";
import type { ChainFacts } from "../../ports/chain.ts";
import type { SessionRow } from "../../ports/store/sessions.ts";
import type { CycleRow, VotingStore } from "../../ports/store/voting.ts";

interface VoterEligibilityPorts {
  readonly store: Pick<VotingStore, "findQualifyingSession">;
  readonly chain: Pick<ChainFacts, "getPrimaryIdentity" | "getPrimaryIdentityAt">;
  /** Derives an ended session's score again, unless that was done. */
  readonly verify: (row: SessionRow) => Promise<SessionRow["verification"]>;
  /** True on chain 31337: the current identity counts, since a fresh chain has no past blocks. */
  readonly isLocal: boolean;
}

/** The most unverified sessions that one vote verifies. */
const SESSIONS_VERIFIED_MAX = 3;

const REASON_LABELS = {
  IDENTITY_NOT_HELD: "the identity",
  NO_VERIFIED_SESSION: "the session",
} as const satisfies { readonly [reason in IneligibleReason]: string };

/** Decides whether a wallet may vote as an agent: it needs an early identity and a played session. */
export class VoterEligibility {
  readonly #ports: VoterEligibilityPorts;

  constructor(ports: VoterEligibilityPorts) {
    this.#ports = ports;
  }

  /** The identity that votes. Throws `VOTE_NOT_ELIGIBLE` with every reason. */
  async requireVoter(wallet: Address, cycle: CycleRow): Promise<string> {
    const [agentId, hasPlayed] = await Promise.all([this.#findIdentity(wallet, cycle), this.#hasPlayed(wallet)]);
    if (agentId !== null && hasPlayed) return agentId.toString();
    const reasons: IneligibleReason[] = [
      ...(agentId === null ? (["IDENTITY_NOT_HELD"] as const) : []),
      ...(hasPlayed ? [] : (["NO_VERIFIED_SESSION"] as const)),
    ];
    const { openingBlock } = cycle;
    const { sessionSeconds } = VOTING_TIMES;
    const identity = this.#ports.isLocal
      ? "an agent identity"
      : `an agent identity since block ${openingBlock} or before`;
    const missing = reasons.map((reason) => REASON_LABELS[reason]).join(" and ");
    throw new ArcadeError(
      "VOTE_NOT_ELIGIBLE",
      `An ai_agent vote needs ${identity} and one verified agent_api session of at least ${sessionSeconds} s; ${wallet} lacks ${missing}.`,
      { reasons, openingBlock, sessionSeconds },
    );
  }

  #findIdentity(wallet: Address, { openingBlock }: CycleRow): Promise<bigint | null> {
    const { chain, isLocal } = this.#ports;
    return isLocal ? chain.getPrimaryIdentity(wallet) : chain.getPrimaryIdentityAt(wallet, openingBlock);
  }

  async #hasPlayed(wallet: Address): Promise<boolean> {
    const { store, verify } = this.#ports;
    const { sessionSeconds } = VOTING_TIMES;
    if ((await store.findQualifyingSession(wallet, sessionSeconds, "verified")) !== null) return true;
    for (let count = 0; count < SESSIONS_VERIFIED_MAX; count += 1) {
      const row = await store.findQualifyingSession(wallet, sessionSeconds, "pending");
      if (row === null) return false;
      if ((await verify(row)) === "verified") return true;
    }
    return false;
  }
}
