/** `npm run evaluate`: measures a bot over many seeds, without a server or a chain. */
import { getEnvironment } from "../backend/config/environment.ts";
import { findGame, games } from "../games/index.ts";
import { replayFrames } from "./agent/bot-frames.ts";
import { loadBot } from "./agent/bots.ts";
import { AGENT_FLAGS, parseBot, parseSlugs } from "./agent/options.ts";
import { defineCommand, parseCount } from "./cli/command.ts";
import { resolveUserPath } from "./cli/user-paths.ts";
import { type BotRun, playAuthorsBot, toSeed } from "./evaluate/play.ts";
import { type Evaluation, formatRow, summarizeRuns, TABLE_HEAD } from "./evaluate/table.ts";

const DEFAULT_BOT = "reference";
const MAX_SEEDS = 100_000;
const DEFAULT_SEEDS = 200;
const FLAGS = {
  game: { ...AGENT_FLAGS.game, help: "what to play" },
  bot: AGENT_FLAGS.bot,
  seeds: {
    type: "string",
    value: "N",
    help: "number of courses, always the same ones",
    default: String(DEFAULT_SEEDS),
  },
  frames: {
    type: "string",
    value: "FILE",
    help: "run the bot on the frames that npm run agent -- --debug saved, instead of courses",
  },
} as const;

export const command = defineCommand({
  name: "evaluate",
  summary: "plays a bot over many seeds without a server and prints the points and seconds of its runs",
  flags: FLAGS,
  examples: [
    "npm run evaluate -- --bot ./my-bot.ts --seeds 1000",
    "npm run evaluate -- --game flappybots --bot random",
    "npm run evaluate -- --bot ./my-bot.ts --frames bot-failure-flappybots-420.json",
  ],
  async run({ flags }, terminal) {
    const slugs = parseSlugs(flags.game ?? games[0]!.slug);
    const seeds = parseCount("seeds", flags.seeds, DEFAULT_SEEDS, MAX_SEEDS);
    const createBot = await loadBot(parseBot(flags.bot ?? DEFAULT_BOT, getEnvironment()));
    if (flags.frames !== undefined) {
      const moves = await replayFrames(resolveUserPath(flags.frames), createBot);
      terminal.print(`${moves.length} frames answered, the last one with ${JSON.stringify(moves.at(-1))}`);
      return { moves };
    }
    const evaluations: Evaluation[] = [];
    for (const slug of slugs) {
      const game = findGame(slug)!;
      const runs: BotRun[] = [];
      for (let seed = 0; seed < seeds; seed++) {
        runs.push(await playAuthorsBot(game, toSeed(seed), createBot(slug)));
        if (terminal.isInteractive) terminal.draw(`\r${slug}: run ${seed + 1} of ${seeds}`);
      }
      if (terminal.isInteractive) terminal.draw("\n");
      evaluations.push(summarizeRuns(slug, flags.bot ?? DEFAULT_BOT, runs));
    }
    terminal.print("Quantiles 5 / 25 / 50 / 75 / 95 %:");
    for (const line of [...TABLE_HEAD, ...evaluations.map(formatRow)]) terminal.print(line);
    return { evaluations };
  },
});
