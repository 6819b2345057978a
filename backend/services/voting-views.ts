import { randomBytes } from "node:crypto";
import { ArcadeError } from "../domain/errors.ts";
import { isoOf } from "../domain/time.ts";
import { uuidV7 } from "../domain/uuid.ts";
import { cycleEndMs, DEMONSTRATION, isCycleOpen, makeBallot, VOTING_TIMES } from "../domain/voting.ts";
import type { CandidateRow, CycleRow, PageQuery, Tally, VoteRow } from "../ports.ts";
import type { VotingPorts } from "./voting.ts";

const DAY_MS = 24 * 3600 * 1000;

export const countsOf = ({ human, aiAgent }: Tally) => ({
  totalVotes: human + aiAgent,
  humanVotes: human,
  aiAgentVotes: aiAgent,
});

/** What is public of voting: cycles, candidates, counts, and the ballots of closed cycles. */
export function makeVotingViews({ store, chain, clock }: Pick<VotingPorts, "store" | "chain" | "clock">) {
  const { chainId } = chain.deployment;

  const cycleView = (cycle: CycleRow) => ({
    id: cycle.id,
    state: isCycleOpen(cycle, clock.nowMs()) ? ("open" as const) : ("closed" as const),
    opensAt: isoOf(cycle.opensAtMs),
    closesAt: isoOf(cycleEndMs(cycle)),
    openingBlock: cycle.openingBlock,
  });

  async function openCycle(): Promise<CycleRow | null> {
    const cycle = await store.unsettledCycle();
    return cycle !== null && isCycleOpen(cycle, clock.nowMs()) ? cycle : null;
  }

  /** A game that stands or stood for election. Others, live ones included, are `GAME_NOT_FOUND`. */
  async function find(gameSlug: string): Promise<{ readonly candidate: CandidateRow; readonly cycle: CycleRow }> {
    const candidate = await store.findCandidate(gameSlug);
    const cycle = candidate?.cycleId == null ? null : await store.findCycle(candidate.cycleId);
    if (candidate !== null && cycle !== null) return { candidate, cycle };
    const open = await openCycle();
    const games = open === null ? [] : (await store.candidatesOf(open.id)).map(({ slug }) => slug);
    throw new ArcadeError(
      "GAME_NOT_FOUND",
      `Expected a candidate of the community voting (${games.join(", ") || "none stands for election now"}), received "${gameSlug.slice(0, 40)}".`,
      { games },
    );
  }

  const ballotView = (vote: VoteRow) => ({
    walletAddress: vote.wallet,
    voteSource: vote.voteSource,
    agentId: vote.agentId,
    message: {
      walletAddress: vote.wallet,
      gameSlug: vote.gameSlug,
      voteSource: vote.voteSource,
      nonce: vote.nonce,
      cycleId: String(vote.cycleId),
    },
    signature: vote.signature,
    proof: vote.proof,
    castAt: isoOf(vote.castAtMs),
  });

  return {
    find,
    cycleView,

    async status(gameSlug: string) {
      const { cycle } = await find(gameSlug);
      const [tally] = await store.tally([gameSlug]);
      return { gameSlug, cycle: cycleView(cycle), ...countsOf(tally!) };
    },

    async candidates() {
      const cycle = await openCycle();
      if (cycle === null) return { cycle: null, games: [] };
      const candidates = await store.candidatesOf(cycle.id);
      const tallies = await store.tally(candidates.map(({ slug }) => slug));
      const games = candidates.map(({ slug, title, developer, url }, index) => ({
        gameSlug: slug,
        title,
        developer,
        url,
        ...countsOf(tallies[index]!),
      }));
      return { cycle: cycleView(cycle), games };
    },

    /** Ballots as they were signed, once nobody can vote any more: enough for anybody to count again. */
    async ballots(gameSlug: string, page: PageQuery) {
      const { cycle } = await find(gameSlug);
      const published = !isCycleOpen(cycle, clock.nowMs());
      const { items, total } = published ? await store.ballots(gameSlug, page) : { items: [], total: 0 };
      const { domain, types, primaryType } = makeBallot(chainId, {
        walletAddress: "",
        gameSlug,
        voteSource: "human",
        nonce: "",
        cycleId: "0",
      });
      const ballots = items.map(ballotView);
      return {
        gameSlug,
        cycle: cycleView(cycle),
        published,
        typedData: { domain, types, primaryType },
        items: ballots,
        ballots,
        ...page,
        total,
      };
    },

    /** Where no cycle was ever held, opens one with two invented games. Answers whether it did. */
    async openDemonstration(): Promise<boolean> {
      if ((await store.lastCycle()) !== null) return false;
      const stamp = () => ({
        auditId: uuidV7(clock.nowMs(), randomBytes(10)),
        who: "service",
        atMs: clock.nowMs(),
      });
      for (const candidate of DEMONSTRATION) {
        await store.apply(candidate, stamp());
        await store.move(candidate.slug, { from: ["applied"], to: "approved", note: "demonstration" }, stamp());
      }
      const { number } = await chain.head();
      const { outcome } = await store.open(
        {
          openingBlock: number,
          opensAtMs: clock.nowMs(),
          closesAtMs: clock.nowMs() + VOTING_TIMES.demonstrationDays * DAY_MS,
        },
        DEMONSTRATION.map(({ slug }) => slug),
        stamp(),
      );
      return outcome === "opened";
    },
  };
}
