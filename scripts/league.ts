/** `npm run league`: plays a round of the league between the policies of a folder, and writes it to one file. */
import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Hex } from "viem";
import { playCourses } from "../backend/adapters/policies/play-courses.ts";
import { PolicyProcess } from "../backend/adapters/policies/policy-process.ts";
import { buildRound, type RoundFacts } from "../domain/league/build-round.ts";
import { playRung, RUNGS } from "../domain/league/course.ts";
import { computeCourseSeed } from "../domain/league/course-seed.ts";
import { PolicyFault } from "../domain/league/policy-fault.ts";
import { ROUND_RULES, type Round, toRungId } from "../domain/league/round.ts";
import type { Game } from "../games/game.ts";
import { findGame, games } from "../games/index.ts";
import { defineCommand, parseCount } from "./cli/command.ts";
import { EXIT, UsageError } from "./cli/failures.ts";
import { formatCount, padEnd } from "./cli/style.ts";
import type { Terminal } from "./cli/terminal.ts";
import { openOutputFile, resolveUserPath } from "./cli/user-paths.ts";

const FLAGS = {
  policies: { type: "string", value: "DIR", help: "the folder with one policy in each .js file (required)" },
  game: { type: "string", value: "SLUG", help: "the game", default: games[0]!.slug },
  courses: {
    type: "string",
    value: "N",
    help: "courses that every policy plays",
    default: String(ROUND_RULES.courses),
  },
  seconds: { type: "string", value: "N", help: "game time of a course", default: String(ROUND_RULES.seconds) },
  seed: { type: "string", value: "HEX", help: "32 bytes from which the courses follow", default: "random" },
  out: { type: "string", value: "FILE", help: "where to write the round", default: "./round.json" },
} as const;

const EXTENSION = ".js";
const COURSES_MAX = 1000;
const SECONDS_MAX = 600;

function parseSeed(text: string): Hex {
  if (text === "random") return `0x${randomBytes(32).toString("hex")}`;
  if (/^0x[0-9a-f]{64}$/.test(text)) return text as Hex;
  throw new UsageError(`--seed: expected 0x and 64 hex digits in lower case, received "${text}"`);
}

const describeFault = ({ message, line, column }: PolicyFault): string =>
  line === null ? message : `line ${line}, column ${column}: ${message}`;

/** The policies of a folder. Each is loaded once, to reject a broken one before the round. */
async function readPolicies(folder: string): Promise<readonly { readonly id: string; readonly text: string }[]> {
  const names = readdirSync(folder).filter((name) => name.endsWith(EXTENSION));
  if (names.length === 0) throw new UsageError(`${folder}: expected ${EXTENSION} files, each with one policy`);
  const policies = names.map((name) => ({
    id: name.slice(0, -EXTENSION.length),
    text: readFileSync(join(folder, name), "utf8"),
  }));
  for (const { id, text } of policies) {
    const loaded = await PolicyProcess.start(text).catch((error) => {
      if (error instanceof PolicyFault) throw new UsageError(`${id}${EXTENSION}: ${describeFault(error)}`);
      throw error;
    });
    loaded.stop();
  }
  return policies;
}

/** A local round has no chain block; its time is its start. */
async function playRound(
  game: Game,
  policies: readonly { readonly id: string; readonly text: string }[],
  { serverSeed, courses, ticksMax }: Pick<Round, "serverSeed" | "courses" | "ticksMax">,
): Promise<Round> {
  const { slug, tickHz, rulesVersion } = game;
  const opensAt = new Date().toISOString();
  const block: Round["block"] = { number: 0, hash: `0x${"00".repeat(32)}` };
  const seeds = Array.from({ length: courses }, (_, course) => computeCourseSeed({ serverSeed, block, slug }, course));
  const played: RoundFacts["policies"][number][] = [];
  for (const { id, text } of policies) {
    const runs = await playCourses(text, { slug, seeds, tickHz, ticksMax });
    played.push({ id, agentId: null, text, submittedAt: opensAt, runs });
  }
  const rungs = RUNGS.map((rung) => ({
    id: toRungId(rung),
    runs: seeds.map((seed, course) => playRung(rung, course, { game, seed, tickHz, ticksMax })),
  }));
  const facts = { season: 1, slug, rulesVersion, tickHz, ticksMax, courses, opensAt, closesAt: opensAt };
  return buildRound({ ...facts, serverSeed, block, rungs, policies: played, thinkers: [] });
}

function printRatings({ ratings, policies }: Round, { print, style }: Terminal): void {
  const width = Math.max(...ratings.map(({ id }) => id.length)) + 2;
  print(style.dim(`  ${padEnd("policy", width)}${padEnd("rating", 8)}${padEnd("95 %", 14)}won/tied/lost`));
  for (const { id, rating, low, high, wins, ties, losses } of ratings)
    print(
      `  ${padEnd(id, width)}${padEnd(String(rating), 8)}${padEnd(`${low} to ${high}`, 14)}${wins}/${ties}/${losses}`,
    );
  for (const { id, runs } of policies) {
    const forfeits = runs.flatMap(({ forfeit }) => forfeit ?? []);
    const [first] = forfeits;
    if (first !== undefined)
      print(
        style.warn(`  ${id} forfeited ${formatCount(forfeits.length, "course")}: tick ${first.tick}, ${first.text}`),
      );
    const unknown = runs.find((run) => run.unknown !== null)?.unknown;
    if (unknown) print(style.warn(`  ${id} returned invalid moves, such as ${unknown.example}`));
  }
}

export const command = defineCommand({
  name: "league",
  summary: "plays a round of the league between policies in a folder, into one file that anyone can verify",
  flags: FLAGS,
  examples: ["npm run league -- --policies ./policies --game flappybots", "npm run verify -- --league ./round.json"],
  async run({ flags }, terminal) {
    if (flags.policies === undefined) throw new UsageError("expected --policies DIR");
    const game = findGame(flags.game ?? games[0]!.slug);
    if (game === undefined) {
      const known = games.map(({ slug }) => slug).join(", ");
      throw new UsageError(`--game: expected one of ${known}, received "${flags.game}"`);
    }
    const courses = parseCount("courses", flags.courses, ROUND_RULES.courses, COURSES_MAX);
    const seconds = parseCount("seconds", flags.seconds, ROUND_RULES.seconds, SECONDS_MAX);
    const serverSeed = parseSeed(flags.seed ?? "random");
    const out = openOutputFile("out", flags.out ?? "./round.json");
    const policies = await readPolicies(resolveUserPath(flags.policies));
    const round = await playRound(game, policies, { serverSeed, courses, ticksMax: seconds * game.tickHz });
    writeFileSync(out, JSON.stringify(round));
    printRatings(round, terminal);
    terminal.print(
      `\n  ${out}: ${formatCount(policies.length, "policy", "policies")} on ${formatCount(courses, "course")}`,
    );
    terminal.printJson({ file: out, ratings: round.ratings });
    return EXIT.ok;
  },
});
