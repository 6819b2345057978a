/** Counts the published ballots of a candidate again: every signature is checked here, not by the service. */
import { verifyTypedData } from "viem";
import type { Answer } from "../../client/api.ts";
import { client } from "../wallet/service.ts";

type BallotPage = Answer<"voting.ballots">;
type Ballot = BallotPage["items"][number];

export interface Recount {
  readonly published: boolean;
  readonly humanVotes: number;
  readonly aiAgentVotes: number;
  /** Ballots of contract wallets, which only the chain could confirm at their time. */
  readonly contractVotes: number;
  /** Ballots whose signature does not belong to their wallet, or that vote a second time. */
  readonly invalid: number;
  /** What the service says. */
  readonly reportedVotes: number;
}

const PAGE_SIZE = 100;

async function loadBallots(gameSlug: string): Promise<readonly BallotPage[]> {
  const pages: BallotPage[] = [];
  for (let page = 1; ; page += 1) {
    const next = await client.voting.ballots({ gameSlug, page, limit: PAGE_SIZE });
    pages.push(next);
    if (next.items.length < PAGE_SIZE) return pages;
  }
}

/** Whether the ballot's own wallet has signed exactly this vote. */
async function isValid({ typedData, gameSlug, cycle }: BallotPage, ballot: Ballot): Promise<boolean> {
  const { message, walletAddress, voteSource, signature } = ballot;
  const says = message.gameSlug === gameSlug && message.cycleId === String(cycle.id);
  const isOwn = message.walletAddress === walletAddress && message.voteSource === voteSource;
  if (!says || !isOwn) return false;
  if (ballot.proof === "contract") return true;
  const payload = { ...typedData, message, address: walletAddress, signature };
  return verifyTypedData(payload as unknown as Parameters<typeof verifyTypedData>[0]).catch(() => false);
}

export async function recount(gameSlug: string): Promise<Recount> {
  const [pages, status] = await Promise.all([loadBallots(gameSlug), client.voting.status({ gameSlug })]);
  const voters = new Set<string>();
  const counts = { humanVotes: 0, aiAgentVotes: 0, contractVotes: 0, invalid: 0 };
  for (const page of pages)
    for (const ballot of page.items) {
      const isFirst = !voters.has(ballot.walletAddress);
      voters.add(ballot.walletAddress);
      if (!isFirst || !(await isValid(page, ballot))) counts.invalid += 1;
      else if (ballot.voteSource === "human") counts.humanVotes += 1;
      else counts.aiAgentVotes += 1;
      if (isFirst && ballot.proof === "contract") counts.contractVotes += 1;
    }
  return { ...counts, published: pages[0]?.published ?? false, reportedVotes: status.totalVotes };
}
