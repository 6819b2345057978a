/** Counts the published ballots of a candidate again. */
import { siteConfig } from "../site-config.ts";
import { client } from "../wallet/service.ts";
import { type BallotCounts, type BallotPage, countBallots } from "./count-ballots.ts";

export interface Recount extends BallotCounts {
  readonly published: boolean;
  /** What the service reports. */
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

export async function recount(gameSlug: string): Promise<Recount> {
  const [pages, status] = await Promise.all([loadBallots(gameSlug), client.voting.status({ gameSlug })]);
  const counts = await countBallots(pages, siteConfig.chainId);
  return { ...counts, published: pages[0]?.published ?? false, reportedVotes: status.totalVotes };
}
