/** Voting cycles: opened, closed and told. */
import { cycleEndMs, isCycleOpen, rankTallies, VOTING_TIMES, winnersOf } from "../../backend/domain/voting.ts";
import type { CycleRow, Tally } from "../../backend/ports.ts";
import { countOf, type Terminal } from "../cli/command.ts";
import { CommandError, EXIT, UsageError } from "../cli/failures.ts";
import { table } from "../cli/style.ts";
import { AS_FLAG, none, RPC_FLAG, stampOf, withChain, withStore } from "./place.ts";
import { defineSubcommand } from "./subcommand.ts";

const DAY_MS = 24 * 3600 * 1000;
const GAMES_MAX = 50;

const iso = (ms: number): string => new Date(ms).toISOString();

const open = defineSubcommand({
  path: "voting open",
  summary: "opens a cycle: agents must hold their identity at the chain's head of this moment",
  flags: {
    games: { type: "string", value: "SLUG,SLUG", help: "approved candidates that stand for election" },
    days: {
      type: "string",
      value: "N",
      help: `how long, 1 to ${VOTING_TIMES.maxCycleDays}`,
      default: String(VOTING_TIMES.cycleDays),
    },
    ...RPC_FLAG,
    ...AS_FLAG,
  },
  example: "voting open --games reef-rally,kelp-kart --days 7",
  async run({ flags, positionals }, terminal) {
    none(positionals);
    const games = [...new Set((flags.games ?? "").split(",").map((slug) => slug.trim()))].filter((slug) => slug !== "");
    if (games.length === 0 || games.length > GAMES_MAX)
      throw new UsageError(`--games: expected 1 to ${GAMES_MAX} slugs of approved candidates`);
    const days = countOf("days", flags.days, VOTING_TIMES.cycleDays, VOTING_TIMES.maxCycleDays);
    const result = await withStore(async (store, config) => {
      const { number } = await withChain(flags, config, (chain) => chain.head());
      const stamp = stampOf(flags);
      const times = { openingBlock: number, opensAtMs: stamp.atMs, closesAtMs: stamp.atMs + days * DAY_MS };
      return store.voting.open(times, games, stamp);
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
    terminal.say(`Cycle ${cycle.id} is open until ${iso(cycle.closesAtMs)} (opening block ${cycle.openingBlock})`);
    terminal.answer({ ok: true, cycle, games });
    return EXIT.ok;
  },
});

function showResult(
  cycle: CycleRow,
  tallies: readonly Tally[],
  states: ReadonlyMap<string, string>,
  terminal: Terminal,
) {
  const ranked = rankTallies(tallies);
  const rows = ranked.map(({ gameSlug, aiAgent, human }) => [
    gameSlug,
    String(aiAgent),
    String(human),
    String(aiAgent + human),
    states.get(gameSlug) ?? "",
  ]);
  const state = isCycleOpen(cycle, Date.now()) ? "open" : "closed";
  terminal.say(`Cycle ${cycle.id}, ${state}, ${iso(cycle.opensAtMs)} to ${iso(cycleEndMs(cycle))}\n`);
  terminal.say(table(["game", "agents", "humans", "votes", "state"], rows, terminal.style, [1, 2, 3]));
  terminal.answer({
    ok: true,
    cycle: { ...cycle, state },
    games: ranked.map((tally) => ({ ...tally, state: states.get(tally.gameSlug) ?? null })),
  });
}

const close = defineSubcommand({
  path: "voting close",
  summary: "closes the cycle now, counts it and decides; its ballots become public",
  flags: { winners: { type: "string", value: "N", help: "how many games win", default: "1" }, ...AS_FLAG },
  example: "voting close --winners 2",
  async run({ flags, positionals }, terminal) {
    none(positionals);
    const count = countOf("winners", flags.winners, 1, GAMES_MAX);
    await withStore(async (store) => {
      const closed = await store.voting.close((tallies) => winnersOf(tallies, count), stampOf(flags));
      if (closed === null)
        throw new CommandError("No cycle is open.", { next: "npm run admin -- voting open --games SLUG" });
      const candidates = await store.voting.candidatesOf(closed.cycle.id);
      const tallies = await store.voting.tally(candidates.map(({ slug }) => slug));
      showResult(closed.cycle, tallies, new Map(candidates.map(({ slug, state }) => [slug, state])), terminal);
    });
    return EXIT.ok;
  },
});

const result = defineSubcommand({
  path: "voting result",
  summary: "shows the votes of the last cycle, or of another",
  flags: { cycle: { type: "string", value: "N", help: "the cycle's number; else the last one" } },
  example: "voting result --cycle 1",
  async run({ flags, positionals }, terminal) {
    none(positionals);
    const id = flags.cycle === undefined ? null : countOf("cycle", flags.cycle, 1, 1_000_000);
    await withStore(async ({ voting }) => {
      const cycle = id === null ? await voting.lastCycle() : await voting.findCycle(id);
      if (cycle === null) throw new CommandError(id === null ? "There was no cycle yet." : `There is no cycle ${id}.`);
      const candidates = await voting.candidatesOf(cycle.id);
      const tallies = await voting.tally(candidates.map(({ slug }) => slug));
      showResult(cycle, tallies, new Map(candidates.map(({ slug, state }) => [slug, state])), terminal);
    });
    return EXIT.ok;
  },
});

export const CYCLE_COMMANDS = [open, close, result];
