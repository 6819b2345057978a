import { randomBytes } from "node:crypto";
import { ArcadeError } from "../../../domain/errors.ts";
import { uuidV7 } from "../../../domain/ids.ts";
import { DAY_MS, toIso } from "../../../domain/time.ts";
import { createBallot, DEMO_CANDIDATES, getCycleEndMs, isCycleOpen, VOTING_TIMES } from "../../../domain/voting.ts";
import type { ChainReader } from "../../ports/chain.ts";
import type { CandidateRow, CycleRow, Tally, VoteRow, VotingStore } from "../../ports/store/voting.ts";
import type { Clock } from "../../ports/system.ts";
import type { PageQuery } from "../../ports/types.ts";

interface CandidatePorts {
  readonly store: VotingStore;
  readonly chain: Pick<ChainReader, "deployment" | "getHead">;
  readonly clock: Pick<Clock, "nowMs">;
}

export interface Candidacy {
  readonly candidate: CandidateRow;
  readonly cycle: CycleRow;
}

export const toCounts = ({ human, aiAgent }: Tally) => ({
  totalVotes: human + aiAgent,
  humanVotes: human,
  aiAgentVotes: aiAgent,
});

const toBallotView = (vote: VoteRow) => ({
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
  castAt: toIso(vote.castAtMs),
});

/** The public side of voting: cycles, candidates, counts, and the ballots of closed cycles. */
export class Candidates {
  readonly #ports: CandidatePorts;

  constructor(ports: CandidatePorts) {
    this.#ports = ports;
  }

  /** A cycle as a response shows it. */
  toCycleView(cycle: CycleRow) {
    return {
      id: cycle.id,
      state: this.isOpen(cycle) ? ("open" as const) : ("closed" as const),
      opensAt: toIso(cycle.opensAtMs),
      closesAt: toIso(getCycleEndMs(cycle)),
      openingBlock: cycle.openingBlock,
    };
  }

  /** Whether the cycle takes votes now. */
  isOpen(cycle: CycleRow): boolean {
    return isCycleOpen(cycle, this.#ports.clock.nowMs());
  }

  /** A game that is or was a candidate, with its cycle. Throws `GAME_NOT_FOUND` for all others, live games included. */
  async find(gameSlug: string): Promise<Candidacy> {
    const { store } = this.#ports;
    const candidate = await store.findCandidate(gameSlug);
    const cycle = candidate?.cycleId == null ? null : await store.findCycle(candidate.cycleId);
    if (candidate !== null && cycle !== null) return { candidate, cycle };
    const open = await this.#findOpenCycle();
    const games = open === null ? [] : (await store.listCycleCandidates(open.id)).map(({ slug }) => slug);
    const expected = games.join(", ") || "no game is a candidate now";
    throw new ArcadeError(
      "GAME_NOT_FOUND",
      `Expected a candidate of the community voting (${expected}), received "${gameSlug.slice(0, 40)}".`,
      { games },
    );
  }

  /** A candidate's cycle and its votes. Throws `GAME_NOT_FOUND`. */
  async getStatus(gameSlug: string) {
    const { cycle } = await this.find(gameSlug);
    const [tally] = await this.#ports.store.countVotes([gameSlug]);
    return { gameSlug, cycle: this.toCycleView(cycle), ...toCounts(tally!) };
  }

  /** The candidates of the open cycle. */
  async list() {
    const { store } = this.#ports;
    const cycle = await this.#findOpenCycle();
    if (cycle === null) return { cycle: null, games: [] };
    const candidates = await store.listCycleCandidates(cycle.id);
    const tallies = await store.countVotes(candidates.map(({ slug }) => slug));
    const games = candidates.map(({ slug, title, developer, url }, index) => ({
      gameSlug: slug,
      title,
      developer,
      url,
      ...toCounts(tallies[index]!),
    }));
    return { cycle: this.toCycleView(cycle), games };
  }

  /** The signed ballots of a closed cycle: enough for anyone to count again. */
  async listBallots(gameSlug: string, page: PageQuery) {
    const { store, chain } = this.#ports;
    const { cycle } = await this.find(gameSlug);
    const published = !this.isOpen(cycle);
    const { items, total } = published ? await store.listBallots(gameSlug, page) : { items: [], total: 0 };
    const { domain, types, primaryType } = createBallot(chain.deployment.chainId, {
      walletAddress: "",
      gameSlug,
      voteSource: "human",
      nonce: "",
      cycleId: "0",
    });
    return {
      gameSlug,
      cycle: this.toCycleView(cycle),
      published,
      typedData: { domain, types, primaryType },
      items: items.map(toBallotView),
      ...page,
      total,
    };
  }

  /** Opens a cycle with two invented games if there was none yet. */
  async openDemoCycle(): Promise<void> {
    const { store, chain, clock } = this.#ports;
    if ((await store.findLastCycle()) !== null) return;
    for (const candidate of DEMO_CANDIDATES) {
      await store.addCandidate(candidate, this.#createAuditStamp());
      const approval = { from: ["applied"], to: "approved", note: "demonstration" } as const;
      await store.moveCandidate(candidate.slug, approval, this.#createAuditStamp());
    }
    const { number: openingBlock } = await chain.getHead();
    const opensAtMs = clock.nowMs();
    await store.openCycle(
      { openingBlock, opensAtMs, closesAtMs: opensAtMs + VOTING_TIMES.demoDays * DAY_MS },
      DEMO_CANDIDATES.map(({ slug }) => slug),
      this.#createAuditStamp(),
    );
  }

  async #findOpenCycle(): Promise<CycleRow | null> {
    const cycle = await this.#ports.store.findUnsettledCycle();
    return cycle !== null && this.isOpen(cycle) ? cycle : null;
  }

  #createAuditStamp() {
    const atMs = this.#ports.clock.nowMs();
    return { auditId: uuidV7(atMs, randomBytes(10)), who: "service", atMs };
  }
}
