/** Voting cycles: open, close, show the result. */

import type { Store } from "../../backend/ports/store/store.ts";
import type { CycleRow } from "../../backend/ports/store/voting.ts";
import { toIso } from "../../domain/time.ts";
import { getCycleEndMs, isCycleOpen, rankTallies, selectWinners, VOTING_TIMES } from "../../domain/voting.ts";
import { defineCommand, parseCount } from "../cli/command.ts";
import { CommandError, UsageError } from "../cli/failures.ts";
import { RPC_FLAG } from "../cli/node.ts";
import { formatTable } from "../cli/style.ts";
import type { Terminal } from "../cli/terminal.ts";
import { AS_FLAG, createAuditStamp, withChain, withStore } from "./context.ts";

const DAY_MS = 24 * 3600 * 1000;
const GAMES_MAX = 50;

const open = defineCommand({
  name: "voting open",
  summary: "opens a cycle; agents that hold their identity at the chain's current block may vote",
  flags: {
    games: { type: "string", value: "SLUG,SLUG", help: "approved candidates to vote on" },
    days: {
      type: "string",
      value: "N",
      help: `length in days, 1 to ${VOTING_TIMES.maxCycleDays}`,
      default: String(VOTING_TIMES.cycleDays),
    },
    ...RPC_FLAG,
    ...AS_FLAG,
  },
  examples: ["npm run admin -- voting open --games reef-rally,kelp-kart --days 7"],
  async run({ flags }, terminal) {
    const games = [...new Set((flags.games ?? "").split(",").map((slug) => slug.trim()))].filter((slug) => slug !== "");
    if (games.length === 0 || games.length > GAMES_MAX)
      throw new UsageError(`--games: expected 1 to ${GAMES_MAX} slugs of approved candidates`);
    const days = parseCount("days", flags.days, VOTING_TIMES.cycleDays, VOTING_TIMES.maxCycleDays);
    const result = await withStore(async (store, config) => {
      const { number } = await withChain(flags, config, store, ({ reader }) => reader.getHead());
      const stamp = createAuditStamp(flags);
      const times = { openingBlock: number, opensAtMs: stamp.atMs, closesAtMs: stamp.atMs + days * DAY_MS };
      return store.voting.openCycle(times, games, stamp);
    });
    if (result.outcome === "unsettled") {
      throw new CommandError(`Cycle ${result.cycle.id} is not closed and counted yet.`, {
        next: "npm run admin -- voting close",
      });
    }
    if (result.outcome === "not_approved") {
      throw new CommandError(`Not approved: ${result.slugs.join(", ")}; nothing was opened.`, {
        next: "npm run admin -- voting list",
      });
    }
    const { cycle } = result;
    terminal.print(`Cycle ${cycle.id} is open until ${toIso(cycle.closesAtMs)} (opening block ${cycle.openingBlock})`);
    return { cycle, games };
  },
});

/** Prints a cycle with its votes, and returns both. */
async function showResult({ voting }: Store, cycle: CycleRow, terminal: Terminal) {
  const candidates = await voting.listCycleCandidates(cycle.id);
  const tallies = await voting.countVotes(candidates.map(({ slug }) => slug));
  const states = new Map(candidates.map(({ slug, state }) => [slug, state]));
  const games = rankTallies(tallies).map((tally) => ({ ...tally, state: states.get(tally.gameSlug) ?? null }));
  const rows = games.map(({ gameSlug, aiAgent, human, state }) => [
    ...[gameSlug, String(aiAgent), String(human), String(aiAgent + human), state ?? ""],
  ]);
  const state = isCycleOpen(cycle, Date.now()) ? "open" : "closed";
  terminal.print(`Cycle ${cycle.id}, ${state}, ${toIso(cycle.opensAtMs)} to ${toIso(getCycleEndMs(cycle))}\n`);
  terminal.print(formatTable(["game", "agents", "humans", "votes", "state"], rows, terminal.style, [1, 2, 3]));
  return { cycle: { ...cycle, state }, games };
}

const close = defineCommand({
  name: "voting close",
  summary: "closes the cycle now, counts the votes and picks the winners; the ballots become public",
  flags: { winners: { type: "string", value: "N", help: "number of games that win", default: "1" }, ...AS_FLAG },
  examples: ["npm run admin -- voting close --winners 2"],
  async run({ flags }, terminal) {
    const count = parseCount("winners", flags.winners, 1, GAMES_MAX);
    return withStore(async (store) => {
      const closed = await store.voting.closeCycle((tallies) => selectWinners(tallies, count), createAuditStamp(flags));
      if (closed === null)
        throw new CommandError("No cycle is open.", { next: "npm run admin -- voting open --games SLUG" });
      return showResult(store, closed.cycle, terminal);
    });
  },
});

const result = defineCommand({
  name: "voting result",
  summary: "shows the votes of a cycle, the last one by default",
  flags: { cycle: { type: "string", value: "N", help: "the cycle's number" } },
  examples: ["npm run admin -- voting result --cycle 1"],
  async run({ flags }, terminal) {
    const id = flags.cycle === undefined ? null : parseCount("cycle", flags.cycle, 1, 1_000_000);
    return withStore(async (store) => {
      const cycle = id === null ? await store.voting.findLastCycle() : await store.voting.findCycle(id);
      if (cycle === null) throw new CommandError(id === null ? "There was no cycle yet." : `There is no cycle ${id}.`);
      return showResult(store, cycle, terminal);
    });
  },
});

export const CYCLE_COMMANDS = [open, close, result];
