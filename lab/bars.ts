/** `npm run lab -- bars`: measures what a fair game must hold, and writes two tables of docs/games.md. */
import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import type { Game } from "../games/game.ts";
import { games } from "../games/index.ts";
import { defineCommand, parseCount } from "../scripts/cli/command.ts";
import { EXIT, UsageError } from "../scripts/cli/failures.ts";
import type { Terminal } from "../scripts/cli/terminal.ts";
import { replaceBlock } from "../scripts/dev/docs/document-block.ts";
import { LATER_SEEDS, listMissedBars, TRIES } from "../test/games/check-bars.ts";
import { type Bar, type Delays, MEASURES, measureDelays, type Sizes } from "../test/games/measure-bars.ts";

const DOCUMENT_URL = new URL("../docs/games.md", import.meta.url);
const SHARE = { seeds: 50, runs: 20, unanswered: 0.15 };
const FULL: Sizes = {
  seeds: 1000,
  planned: 1000,
  delayed: 1000,
  share: SHARE,
  limits: { unfed: 60, ofHunger: 95, ratio: 5, share: 0.25, kept: 95 },
};
const CHECKED: Sizes = {
  seeds: 60,
  planned: 6,
  delayed: 40,
  share: { ...SHARE, seeds: 24, runs: 10 },
  limits: { unfed: 66, ofHunger: 75, ratio: 3, share: 0.45, kept: 85 },
};

type Print = Terminal["print"];
type Table = "bars" | "delays";

/** What one game came to; null if it was not measured. */
interface Measured {
  readonly slug: string;
  readonly bars: readonly Bar[] | null;
  readonly delays: Delays | null;
}

/** Measured once; the runs with a delay were 250 or more of each, those for the share of the seed 150 x 10. */
const ODDS =
  "How often CI is red by chance was estimated from 1,000 recorded runs of each bot, from which 20,000 samples were drawn for each try. Better of shellrunners misses its bar in 7 of 100 first tries and in 2 of 1,000 later ones. Any other bar is missed in fewer than 4 of 1,000 first tries and in none of the 20,000 later ones. All tries of one bar are thus missed in fewer than 1 of 1,000,000 checks of unchanged games. Where better of a game has become so weak that its points are 1.5 times those of the reference bot, 99 of 100 checks are red.";

/** What CI allows, and how much it plays. */
function describeCheck({ seeds, planned, delayed, share, limits }: Sizes): string {
  return (
    `CI plays fresh seeds in every run, and fewer: ${seeds} (better: ${planned}; with a delay: ${delayed}; share of the seed: ${share.seeds}, ${share.runs} times each). ` +
    `Fewer seeds vary more. It allows ${limits.unfed} s without food and ${limits.ofHunger} % that die of hunger, ${limits.ratio} times for better, a share of ${limits.share}, and ${limits.kept} % looking ahead at 100 ms. Its other bars are those above. ` +
    `A bar that is missed is measured again on ${LATER_SEEDS} times as many other seeds, and CI is red where one is missed ${TRIES} times in a row. ${ODDS}`
  );
}

function renderBars(results: readonly Measured[]): readonly string[] {
  const measured = results.map(({ bars }) => bars ?? []);
  return [
    `| what | bar | ${results.map(({ slug }) => slug).join(" | ")} |`,
    `|---|---|${results.map(() => "---").join("|")}|`,
    ...measured[0]!.map(
      ({ name, bar }, row) => `| ${name} | ${bar} | ${measured.map((bars) => bars[row]!.value).join(" | ")} |`,
    ),
    "",
    describeCheck(CHECKED),
  ];
}

const renderDelays = (results: readonly Measured[], { delayed }: Sizes): readonly string[] => [
  `| game | delay | looks ahead | median points of ${delayed} seeds | of those at 0 ms | first tier |`,
  "|---|---|---|---|---|---|",
  ...results.flatMap(({ delays }) => delays?.rows ?? []),
];

const describeMissed = (slug: string, bars: readonly Bar[]): readonly string[] =>
  bars.filter(({ isMet }) => !isMet).map(({ name, bar, value }) => `${slug}: ${name}: ${bar}, not ${value}`);

/** Prints each bar of each try. Returns what the games miss, as sentences. */
function checkGames(measured: readonly Game[], master: string, print: Print): readonly string[] {
  print(`seeds: --master ${master}`);
  const missed = measured.flatMap((game) => describeMissed(game.slug, listMissedBars(game, master, CHECKED, print)));
  const isDescribed = readFileSync(DOCUMENT_URL, "utf8").includes(`\n${describeCheck(CHECKED)}\n`);
  return isDescribed ? missed : [...missed, `docs/games.md lacks: ${describeCheck(CHECKED)}`];
}

/** Writes the tables that `only` names, or both. Returns what the games miss, as sentences. */
function writeTables(
  measured: readonly Game[],
  sizes: Sizes,
  only: Table | undefined,
  print: Print,
): readonly string[] {
  const master = "bars of the second rules";
  const results = measured.map(
    (game): Measured => ({
      slug: game.slug,
      bars: only === "delays" ? null : MEASURES.flatMap((measure) => measure(game, master, sizes)),
      delays: only === "bars" ? null : measureDelays(game, master, sizes),
    }),
  );
  const tables: { readonly [name: string]: readonly string[] } = {
    ...(only === "delays" ? {} : { bars: renderBars(results) }),
    ...(only === "bars" ? {} : { delays: renderDelays(results, sizes) }),
  };
  let text = readFileSync(DOCUMENT_URL, "utf8");
  for (const [name, lines] of Object.entries(tables)) {
    for (const line of lines) print(line);
    text = replaceBlock(text, name, lines);
  }
  writeFileSync(DOCUMENT_URL, text);
  return results.flatMap(({ slug, bars, delays }) => describeMissed(slug, [...(bars ?? []), ...(delays?.bars ?? [])]));
}

function parseTable(text: string | undefined): Table | undefined {
  if (text === undefined || text === "bars" || text === "delays") return text;
  throw new UsageError(`--only: expected bars or delays, received ${text}`);
}

export const command = defineCommand({
  name: "lab bars",
  summary: "measures what a fair game must hold, and writes two tables of docs/games.md",
  flags: {
    check: {
      type: "boolean",
      help: "play fewer and fresh seeds, with wider bars, and write nothing; exit code 1 if one is missed",
    },
    master: { type: "string", value: "HEX", help: "with --check: the seeds of an earlier run" },
    only: { type: "string", value: "TABLE", help: "write only the table `bars` or `delays`" },
    seeds: { type: "string", value: "N", help: "how many seeds", default: String(FULL.seeds) },
    planned: { type: "string", value: "N", help: "how many for the better bot", default: String(FULL.planned) },
    delayed: { type: "string", value: "N", help: "how many with a delay", default: String(FULL.delayed) },
  },
  examples: ["npm run lab -- bars", "npm run lab -- bars --check"],
  async run({ flags }, terminal) {
    const count = (name: "seeds" | "planned" | "delayed"): number => parseCount(name, flags[name], FULL[name], 100_000);
    const sizes = { ...FULL, seeds: count("seeds"), planned: count("planned"), delayed: count("delayed") };
    const measured = games.filter(({ resume }) => resume !== undefined);
    const isCheck = flags.check === true;
    const missed = isCheck
      ? checkGames(measured, flags.master ?? randomBytes(8).toString("hex"), terminal.print)
      : writeTables(measured, sizes, parseTable(flags.only), terminal.print);
    for (const sentence of missed) process.stderr.write(`${sentence}\n`);
    terminal.printJson({ missed });
    return isCheck && missed.length > 0 ? EXIT.error : EXIT.ok;
  },
});
