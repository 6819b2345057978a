/** Flags and environment of `npm run agent`. */
import { resolve } from "node:path";
import type { Hex } from "viem";
import { type Environment, getEnvironment, getUserDirectory } from "../../backend/config/environment.ts";
import { readPrivateKey } from "../../backend/config/private-keys.ts";
import { games } from "../../games/index.ts";
import { type Flag, type ParsedArguments, parseCount, parseServiceFlag } from "../cli/command.ts";
import { UsageError } from "../cli/failures.ts";
import { findGivenNode, RPC_FLAG } from "../cli/node.ts";

const slugs = games.map((game) => game.slug);
const allGamesName = slugs.length === 2 ? "both" : "all";

export const AGENT_FLAGS = {
  game: { type: "string", value: `${slugs.join("|")}|${allGamesName}`, help: "what to play", default: slugs[0]! },
  bot: {
    type: "string",
    value: "reference|random|quick|FILE",
    help: "the bot to play; a file exports `makeBot(slug)` or `bot(frame)`",
    default: "reference",
  },
  sessions: { type: "string", value: "N", help: "number of sessions per game", default: "1" },
  agents: { type: "string", value: "N", help: "number of agents in parallel, each with its own wallet", default: "1" },
  url: { type: "string", value: "URL", help: "the service", default: "http://127.0.0.1:4100" },
  ...RPC_FLAG,
  deployment: {
    type: "string",
    value: "FILE",
    help: "the deployment's addresses file; by default the service's addresses",
  },
  key: {
    type: "string",
    value: "@FILE|0x…",
    help: "the wallet's key, preferably as @FILE: the shell's history keeps a key in the command. By default ARCADE_AGENT_KEY (0x… or @FILE), or a new wallet in data/agents",
  },
  gasless: {
    type: "boolean",
    help: "the operator pays all gas: the wallets need no ether",
  },
  debug: {
    type: "boolean",
    help: "save the last frames of a bot that fails, to run it again: npm run evaluate -- --frames FILE",
  },
  yes: { type: "boolean", help: "spend on a public network without confirmation" },
} as const satisfies { [name: string]: Flag };

export interface AgentOptions {
  readonly slugs: readonly string[];
  /** `reference`, `random`, `quick` or the absolute path of a file. */
  readonly bot: string;
  readonly sessions: number;
  readonly agents: number;
  readonly url: string;
  readonly rpcUrl: string | null;
  /** The absolute path of an addresses file for the contracts; null: those of the service. */
  readonly deploymentPath: string | null;
  readonly key: Hex | null;
  /** The key was in the command itself, visible to other users of the machine and in the shell's history. */
  readonly isKeyExposed: boolean;
  /** Save the last frames of a bot that fails. */
  readonly debug: boolean;
  /** The operator pays all gas. */
  readonly gasless: boolean;
  readonly yes: boolean;
  readonly keysFolder: string;
}

const MAX_AGENTS = 500;
const MAX_SESSIONS = 1000;

/** The games of `--game`. Throws `UsageError`. */
export function parseSlugs(game: string): readonly string[] {
  if (game === "all" || game === "both") return slugs;
  if (slugs.includes(game)) return [game];
  throw new UsageError(`--game: expected ${slugs.join(", ")} or ${allGamesName}, received "${game}"`);
}

/** The name of a built-in bot, or the absolute path of a bot's file. Throws `UsageError`. */
export function parseBot(bot: string, env: Environment): string {
  if (["reference", "random", "quick"].includes(bot)) return bot;
  if (/\.[cm]?[jt]s$/.test(bot)) return resolve(getUserDirectory(env), bot);
  throw new UsageError(`--bot: expected reference, random, quick or a file like ./my-bot.ts, received "${bot}"`);
}

function parseKey(given: string | undefined, env: Environment): Hex | null {
  const key = given ?? env.ARCADE_AGENT_KEY;
  if (key === undefined || key === "") return null;
  try {
    const path = key.startsWith("@") ? `@${resolve(getUserDirectory(env), key.slice(1))}` : key;
    return readPrivateKey(given === undefined ? "ARCADE_AGENT_KEY" : "--key", path);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** Reads flags and environment. Throws `UsageError`. */
export function parseAgentOptions(
  { flags }: Pick<ParsedArguments<typeof AGENT_FLAGS>, "flags">,
  env: Environment = getEnvironment(),
): AgentOptions {
  const agents = parseCount("agents", flags.agents, 1, MAX_AGENTS);
  const key = parseKey(flags.key, env);
  if (key !== null && agents > 1)
    throw new UsageError(
      "--agents: expected 1 with a key, because a key is one agent; leave out the key for more agents",
    );
  if (flags.debug === true && agents > 1) throw new UsageError("--agents: expected 1 with --debug");
  return {
    slugs: parseSlugs(flags.game ?? AGENT_FLAGS.game.default),
    bot: parseBot(flags.bot ?? AGENT_FLAGS.bot.default, env),
    sessions: parseCount("sessions", flags.sessions, 1, MAX_SESSIONS),
    agents,
    url: parseServiceFlag(flags.url ?? AGENT_FLAGS.url.default),
    rpcUrl: findGivenNode(flags, env) ?? null,
    deploymentPath: flags.deployment === undefined ? null : resolve(getUserDirectory(env), flags.deployment),
    key,
    isKeyExposed: flags.key !== undefined && !flags.key.startsWith("@"),
    debug: flags.debug === true,
    gasless: flags.gasless === true,
    yes: flags.yes === true,
    keysFolder: resolve(env.ARCADE_DATA_DIR || "data", "agents"),
  };
}
