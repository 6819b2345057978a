/** Counts published ballots again: every signature is checked here, not by the service. */
import { verifyTypedData } from "viem";
import type { Answer } from "../../client/api.ts";
import { createBallot } from "../../domain/voting.ts";

export type BallotPage = Answer<"voting.ballots">;
type Ballot = BallotPage["items"][number];

export interface BallotCounts {
  readonly humanVotes: number;
  readonly aiAgentVotes: number;
  /** Ballots of contract wallets, which only the chain could confirm when they were cast. */
  readonly contractVotes: number;
  /** Ballots with a signature of another wallet, or a second vote of a wallet. */
  readonly invalid: number;
}

/**
 * Whether the ballot's wallet has signed exactly this vote. The payload is made here: with types from the service, a
 * signature of another message could be shown as a vote.
 */
async function isValid({ gameSlug, cycle }: BallotPage, ballot: Ballot, chainId: number): Promise<boolean> {
  const { message, walletAddress, voteSource, signature } = ballot;
  const says = message.gameSlug === gameSlug && message.cycleId === String(cycle.id);
  const isOwn = message.walletAddress === walletAddress && message.voteSource === voteSource;
  if (!says || !isOwn) return false;
  if (ballot.proof === "contract") return true;
  const payload = { ...createBallot(chainId, message), address: walletAddress, signature };
  return verifyTypedData(payload as unknown as Parameters<typeof verifyTypedData>[0]).catch(() => false);
}

export async function countBallots(pages: readonly BallotPage[], chainId: number): Promise<BallotCounts> {
  const voters = new Set<string>();
  const counts = { humanVotes: 0, aiAgentVotes: 0, contractVotes: 0, invalid: 0 };
  for (const page of pages)
    for (const ballot of page.items) {
      // An address has several spellings, and one signature is valid for all of them.
      const voter = ballot.walletAddress.toLowerCase();
      const isFirst = !voters.has(voter);
      voters.add(voter);
      if (!isFirst || !(await isValid(page, ballot, chainId))) counts.invalid += 1;
      else if (ballot.voteSource === "human") counts.humanVotes += 1;
      else counts.aiAgentVotes += 1;
      if (isFirst && ballot.proof === "contract") counts.contractVotes += 1;
    }
  return counts;
}
