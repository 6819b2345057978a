/** What `npm run agent` was asked for. */
import { resolve } from "node:path";
import { games } from "../../backend/games/index.ts";
import { type Command, countOf, type Flag, type Given, urlOf } from "../cli/command.ts";
import { UsageError } from "../cli/failures.ts";

const slugs = games.map((game) => game.slug);
const everyGame = slugs.length === 2 ? "both" : "all";

export const AGENT_FLAGS = {
  game: { type: "string", value: `${slugs.join("|")}|${everyGame}`, help: "what to play", default: slugs[0]! },
  bot: {
    type: "string",
    value: "reference|random|quick|FILE",
    help: "who steers; a file exports `makeBot(slug)` or `bot(frame)`",
    default: "reference",
  },
  sessions: { type: "string", value: "N", help: "sessions of each game", default: "1" },
  agents: { type: "string", value: "N", help: "so many agents in parallel, each with its own wallet", default: "1" },
  url: { type: "string", value: "URL", help: "the service", default: "http://127.0.0.1:4100" },
  rpc: { type: "string", value: "URL", help: "the chain's node; a local service tells its own" },
  key: {
    type: "string",
    value: "0x…",
    help: "the wallet's key; else ARCADE_AGENT_KEY, else one is kept in data/agents",
  },
  yes: { type: "boolean", help: "spend on a public network without asking" },
} as const satisfies { [name: string]: Flag };

export type AgentCommand = Command<typeof AGENT_FLAGS>;

export interface AgentOptions {
  readonly slugs: readonly string[];
  /** `reference`, `random`, `quick` or the absolute path of a file. */
  readonly bot: string;
  readonly sessions: number;
  readonly agents: number;
  readonly url: string;
  readonly rpcUrl: string | null;
  readonly key: `0x${string}` | null;
  readonly yes: boolean;
  readonly keysFolder: string;
}

const MAX_AGENTS = 500;
const MAX_SESSIONS = 1000;

/** Where the command was typed: npm itself runs in the repository's folder. */
const typedIn = (env: NodeJS.ProcessEnv): string => env.INIT_CWD ?? process.cwd();

function slugsOf(game: string): readonly string[] {
  if (game === "all" || game === "both") return slugs;
  if (slugs.includes(game)) return [game];
  throw new UsageError(`--game: expected ${slugs.join(", ")} or ${everyGame}, received "${game}"`);
}

function botOf(bot: string, env: NodeJS.ProcessEnv): string {
  if (["reference", "random", "quick"].includes(bot)) return bot;
  if (/\.(ts|mts|js|mjs)$/.test(bot)) return resolve(typedIn(env), bot);
  throw new UsageError(`--bot: expected reference, random, quick or a file like ./my-bot.ts, received "${bot}"`);
}

function keyOf(given: string | undefined, env: NodeJS.ProcessEnv): `0x${string}` | null {
  const key = given ?? env.ARCADE_AGENT_KEY;
  if (key === undefined || key === "") return null;
  if (/^0x[0-9a-fA-F]{64}$/.test(key)) return key as `0x${string}`;
  // The value itself is never repeated: it may be a key with a typing fault.
  throw new UsageError(`${given === undefined ? "ARCADE_AGENT_KEY" : "--key"}: expected 0x and 64 hex digits`);
}

/** Reads flags and environment. Throws `UsageError`. */
export function agentOptionsOf(
  { flags }: Given<typeof AGENT_FLAGS>,
  env: NodeJS.ProcessEnv = process.env,
): AgentOptions {
  const agents = countOf("agents", flags.agents, 1, MAX_AGENTS);
  const key = keyOf(flags.key, env);
  if (key !== null && agents > 1)
    throw new UsageError("--agents: one key is one agent; leave the key out, or --agents 1");
  return {
    slugs: slugsOf(flags.game ?? AGENT_FLAGS.game.default),
    bot: botOf(flags.bot ?? AGENT_FLAGS.bot.default, env),
    sessions: countOf("sessions", flags.sessions, 1, MAX_SESSIONS),
    agents,
    url: urlOf("url", flags.url ?? AGENT_FLAGS.url.default),
    rpcUrl: flags.rpc === undefined ? null : urlOf("rpc", flags.rpc),
    key,
    yes: flags.yes === true,
    keysFolder: resolve(env.ARCADE_DATA_DIR ?? "data", "agents"),
  };
}
