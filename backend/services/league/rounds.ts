import type { Hex } from "viem";
import { ROUND_RULES } from "../../../domain/league/round.ts";
import { toIso } from "../../../domain/time.ts";
import type { Game } from "../../../games/game.ts";
import type { ChainIndex, ChainReader } from "../../ports/chain.ts";
import type { PlannedPolicy, PolicyRunner, RoundPlan } from "../../ports/policies.ts";
import type { LeagueStore, SeasonRow, ThinkingRow } from "../../ports/store/league.ts";
import type { Clock, Log } from "../../ports/system.ts";
import { RepeatedJob } from "../repeated-job.ts";
import { createSeason } from "./league.ts";

interface RoundPorts {
  readonly store: LeagueStore;
  readonly chain: Pick<ChainReader, "findBlockSince">;
  readonly index: Pick<ChainIndex, "getFinality">;
  readonly runner: PolicyRunner;
  readonly games: readonly Pick<Game, "slug" | "rulesVersion" | "tickHz">[];
  readonly clock: Clock;
  readonly log: Log;
  readonly seasonHours: number;
  readonly rules?: { readonly courses: number; readonly seconds: number };
  /** False while another backend plays them. */
  readonly mayRun: () => boolean;
}

const RUN_EVERY_MS = 2_000;
/** A round that fails is played again from its start. */
const RETRY_AFTER_MS = 30_000;

/** Rows by wallet, with the courses of each. */
function toThinkers(rows: readonly ThinkingRow[]): RoundPlan["thinkers"] {
  const byWallet = Map.groupBy(rows, ({ wallet }) => wallet);
  return [...byWallet].map(([id, courses]) => ({
    ...{ id, agentId: courses.at(-1)!.agentId },
    courses: courses.map(({ course, decisions }) => ({ course, decisions })),
  }));
}

/**
 * Ends seasons: fixes the list of policies at the deadline, waits for the first final block after it, and has the round
 * played in another process. What a season has fixed is stored first, so that a round which was interrupted, or which two
 * backends play, has one result.
 */
export class Rounds {
  readonly #ports: RoundPorts;
  readonly #job: RepeatedJob;

  constructor(ports: RoundPorts) {
    this.#ports = ports;
    this.#job = new RepeatedJob(ports.clock, () =>
      this.run().then(
        () => RUN_EVERY_MS,
        (error: unknown) => {
          if (!this.#job.isStopped) ports.log.warn({ err: error }, "a season of the league could not be ended yet");
          return RETRY_AFTER_MS;
        },
      ),
    );
  }

  start(): void {
    this.#job.start(RUN_EVERY_MS);
  }

  /** Ends the round that is played; resolves after the run that is under way. */
  async stop(): Promise<void> {
    const stopped = this.#job.stop();
    this.#ports.runner.stop();
    await stopped;
  }

  /** Advances each game's season as far as possible now. */
  async run(): Promise<void> {
    const { store, games, clock, mayRun } = this.#ports;
    // All lists before the first round, which takes minutes.
    for (const { slug } of games) {
      const season = await store.findCurrent(slug);
      if (season !== null && mayRun() && clock.nowMs() >= season.closesAtMs && season.policiesDigest === null)
        await store.fixPolicies(season, clock.nowMs());
    }
    for (const game of games) {
      const season = await store.findCurrent(game.slug);
      if (season === null || season.policiesDigest === null || !mayRun() || this.#job.isStopped) continue;
      await this.#end(game, season);
    }
  }

  async #end(game: RoundPorts["games"][number], season: SeasonRow): Promise<void> {
    const { store, runner, clock, log, seasonHours } = this.#ports;
    const { slug, season: number } = season;
    const finish = (round: Parameters<LeagueStore["finish"]>[1]) =>
      store.finish(season, round, createSeason(slug, clock.nowMs(), seasonHours));
    const policies = await store.countPolicies(season);
    const thinkers = toThinkers(await store.listThinking(season));
    if (policies === 0 && thinkers.length === 0) return void (await finish(null));
    const block = await this.#fixBlock(season);
    if (block === null || this.#job.isStopped) return;
    const { courses, seconds } = this.#ports.rules ?? ROUND_RULES;
    const { rulesVersion, tickHz } = game;
    const plan = {
      ...{ season: number, slug, rulesVersion, tickHz, ticksMax: seconds * tickHz, courses },
      opensAt: toIso(season.opensAtMs),
      closesAt: toIso(season.closesAtMs),
      serverSeed: season.serverSeed,
      block,
      thinkers,
    };
    log.info({ slug, season: number, policies }, "a round of the league begins");
    const played = await runner.playRound(plan, this.#readPolicies(season));
    if (await finish({ ...played, policies, courses }))
      log.info({ slug, season: number, winner: played.winner }, "a round of the league was played");
  }

  /** The first block at or after the deadline, once it is final; null before. */
  async #fixBlock(season: SeasonRow): Promise<{ readonly number: number; readonly hash: Hex } | null> {
    const { store, chain, index } = this.#ports;
    const { blockNumber, blockHash } = season;
    if (blockNumber !== null) return { number: blockNumber, hash: blockHash! };
    const found = await chain.findBlockSince(Math.ceil(season.closesAtMs / 1000), index.getFinality().final);
    if (found === null) return null;
    await store.setBlock(season, found);
    // Another backend may have been first.
    const fixed = await store.findCurrent(season.slug);
    if (fixed?.season !== season.season || fixed.blockNumber === null) return null;
    return { number: fixed.blockNumber, hash: fixed.blockHash! };
  }

  /** One text at a time. */
  async *#readPolicies(season: SeasonRow): AsyncGenerator<PlannedPolicy> {
    const { store } = this.#ports;
    for (const { wallet, agentId, submittedAtMs } of await store.listPolicies(season)) {
      const policy = await store.findPolicy(season, wallet);
      // Otherwise another backend has ended the season, and this round is discarded.
      if (policy !== null) yield { id: wallet, agentId, text: policy.text, submittedAt: toIso(submittedAtMs) };
    }
  }
}
