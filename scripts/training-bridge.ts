/** `npm run training-bridge`: the training environments on stdin and stdout, for programs in other languages. */
import { TICKS_PER_STEP_MAX } from "../client/training/env.ts";
import { games } from "../games/index.ts";
import { defineCommand, parseCount } from "./cli/command.ts";
import { EXIT, UsageError } from "./cli/failures.ts";
import { serveBridge } from "./training-bridge/serve.ts";

const MAX_RUNS = 4096;
const slugs = games.filter(({ observation }) => observation !== undefined).map(({ slug }) => slug);

export const command = defineCommand({
  name: "training-bridge",
  summary: "serves the training environments of a game on stdin and stdout (client-python has it for Python)",
  flags: {
    game: { type: "string", value: slugs.join("|"), help: "the game", default: slugs[0]! },
    runs: {
      type: "string",
      value: "N",
      help: "number of parallel runs, each of which restarts when it ends; by default one run, which does not",
    },
    "ticks-per-step": { type: "string", value: "N", help: "ticks per step", default: "1" },
  },
  examples: ["npm run --silent training-bridge -- --game flappybots --runs 64"],
  notes: ["scripts/training-bridge/bridge.ts describes the bytes."],
  async run({ flags }) {
    const slug = flags.game ?? slugs[0]!;
    if (!slugs.includes(slug)) throw new UsageError(`--game: expected ${slugs.join(" or ")}, received "${slug}"`);
    const runs = flags.runs === undefined ? null : parseCount("runs", flags.runs, 1, MAX_RUNS);
    const ticksPerStep = parseCount("ticks-per-step", flags["ticks-per-step"] ?? "1", 1, TICKS_PER_STEP_MAX);
    serveBridge(slug, runs, ticksPerStep);
    return EXIT.ok;
  },
});
