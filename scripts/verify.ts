/** `npm run verify`: recomputes scores on chain from replays. Needs a node and replays, but no service. */
import { createPublicClient, http } from "viem";
import { VERDICTS, type Verdict } from "../client/verify-replay.ts";
import { parseAddress } from "./admin/chain/target.ts";
import { defineCommand, type ParsedArguments, parseUrl } from "./cli/command.ts";
import { CommandError, EXIT, type ExitCode, toMessage, UsageError } from "./cli/failures.ts";
import { findGivenNode, RPC_FLAG } from "./cli/node.ts";
import { findNodeFault } from "./cli/node-faults.ts";
import { compareWithServerStore } from "./cli/server-store.ts";
import { formatCount, formatDuration, formatInteger, padEnd, shortenHex } from "./cli/style.ts";
import type { Terminal } from "./cli/terminal.ts";
import { resolveUserPath } from "./cli/user-paths.ts";
import { type CheckedEvent, checkEvents } from "./verify/check-events.ts";
import { readRound, verifyRound } from "./verify/league.ts";
import { type EventSelection, readSelectedEvents } from "./verify/read-events.ts";
import { openAddress, openFolder } from "./verify/replay-sources.ts";

const FLAGS = {
  ...RPC_FLAG,
  rewards: { type: "string", value: "ADDRESS", help: "the rewards contract (required)" },
  replays: { type: "string", value: "DIR|URL", help: "the folder or address of the replays", default: "./replays" },
  agent: { type: "string", value: "N", help: "only scores of this identity's wallets, while they held it" },
  wallet: { type: "string", value: "ADDRESS", help: "only scores of this wallet" },
  from: { type: "string", value: "BLOCK", help: "the first block", default: "0" },
  to: { type: "string", value: "BLOCK", help: "the last block", default: "the latest" },
  league: { type: "string", value: "FILE|URL", help: "play a league round again from its file instead" },
} as const;

function parseNumber(name: string, text: string): bigint {
  if (/^\d{1,15}$/.test(text)) return BigInt(text);
  throw new UsageError(`--${name}: expected a number, received "${text}"`);
}

function parseSelection(flags: ParsedArguments<typeof FLAGS>["flags"]): EventSelection & { readonly rpcUrl: string } {
  const rpcUrl = findGivenNode(flags);
  if (rpcUrl === undefined || flags.rewards === undefined)
    throw new UsageError("expected --rewards ADDRESS, and --rpc URL or ARCADE_RPC_URL");
  if (flags.agent !== undefined && flags.wallet !== undefined)
    throw new UsageError("expected --agent or --wallet, received both");
  return {
    rpcUrl,
    rewards: parseAddress("--rewards", flags.rewards),
    agentId: flags.agent === undefined ? null : parseNumber("agent", flags.agent),
    wallet: flags.wallet === undefined ? null : parseAddress("--wallet", flags.wallet),
    fromBlock: parseNumber("from", flags.from ?? "0"),
    toBlock: flags.to === undefined ? null : parseNumber("to", flags.to),
  };
}

const EXIT_CODES: { readonly [verdict in Verdict]: ExitCode } = {
  REPRODUCED: EXIT.ok,
  SIGNED_BY_PLAYER: EXIT.ok,
  CANNOT_RECOMPUTE: EXIT.cannotRecompute,
  DIVERGED: EXIT.diverged,
};

function printChecked({ event, verdict, reason, origin }: CheckedEvent, { style, print }: Terminal): void {
  const paint = {
    REPRODUCED: style.good,
    SIGNED_BY_PLAYER: style.good,
    DIVERGED: style.bad,
    CANNOT_RECOMPUTE: style.warn,
  }[verdict];
  const facts = `block ${event.block}  ${shortenHex(event.wallet)}  ${event.gameSessionHash}`;
  print(
    `  ${paint(padEnd(verdict, 16))}  ${facts}\n${" ".repeat(20)}${reason}${origin === null ? "" : style.dim(`  ${origin}`)}`,
  );
}

const countVerdicts = (checked: readonly { readonly verdict: Verdict }[]) =>
  Object.fromEntries(VERDICTS.map((name) => [name, checked.filter(({ verdict }) => verdict === name).length])) as {
    readonly [verdict in Verdict]: number;
  };

/** One changed seed changes every run. */
const DIFFERENCES_MAX = 20;

async function runLeague(source: string, terminal: Terminal): Promise<ExitCode> {
  const round = await readRound(source);
  const differences = await verifyRound(round);
  const what = `season ${round.season} of ${round.slug}`;
  const { style } = terminal;
  terminal.printJson({ ok: differences?.length === 0, differences });
  if (differences === null) {
    terminal.print(`  ${style.warn("CANNOT_RECOMPUTE")}  ${what}: this build does not have its rules`);
    return EXIT.cannotRecompute;
  }
  for (const difference of differences.slice(0, DIFFERENCES_MAX))
    terminal.print(`  ${style.bad("DIVERGED")}  ${difference}`);
  const rest = differences.length - DIFFERENCES_MAX;
  if (rest > 0) terminal.print(`  and ${formatCount(rest, "difference")} more; --json lists all`);
  if (differences.length > 0) return EXIT.diverged;
  const runs = (round.policies.length + round.rungs.length) * round.courses;
  terminal.print(`  ${style.good("REPRODUCED")}  ${what}: ${formatCount(runs, "course")} and all ratings`);
  return EXIT.ok;
}

export const command = defineCommand({
  name: "verify",
  summary: "recomputes scores on chain from their replays, or a league round from its file, without any service",
  flags: FLAGS,
  examples: [
    "npm run verify -- --rpc http://127.0.0.1:8545 --rewards 0x5FbDB2315678afecb367f032d93F642f64180aa3 --replays ./replays",
    "npm run verify -- --rpc URL --rewards ADDRESS --agent 7 --replays https://arcade.example/api/replays --json",
    "npm run verify -- --league ./round.json",
  ],
  notes: [
    "Exit code 0: all scores are REPRODUCED or SIGNED_BY_PLAYER. 5: at least one is DIVERGED. 6: none is, but at least one is CANNOT_RECOMPUTE.",
  ],
  async run({ flags }, terminal) {
    if (flags.league !== undefined) return runLeague(flags.league, terminal);
    const selection = parseSelection(flags);
    const replays = flags.replays ?? "./replays";
    const source = /^https?:\/\//.test(replays)
      ? await openAddress(parseUrl("replays", replays))
      : await openFolder(resolveUserPath(replays));
    const startedAtMs = performance.now();
    const client = createPublicClient({ transport: http(selection.rpcUrl, { timeout: 15_000, retryCount: 1 }) });
    const chainId = await client.getChainId().catch((cause: unknown) => {
      if (findNodeFault(cause) !== null) throw cause;
      throw new CommandError(`The chain's node returned no chain id: ${toMessage(cause)}`, {
        exitCode: EXIT.chain,
        next: "check --rpc, or try another node",
        cause,
      });
    });
    await compareWithServerStore(client, { chainId, rewards: selection.rewards });
    const events = await readSelectedEvents(client, selection);
    const { checked, others } = await checkEvents(events, source, (result) => printChecked(result, terminal));
    const counts = countVerdicts(checked);
    const ms = performance.now() - startedAtMs;
    const summary = VERDICTS.map((verdict) => `${formatInteger(counts[verdict])} ${verdict}`).join(", ");
    terminal.print(`\n  ${formatCount(events.length, "score")} on chain: ${summary}, in ${formatDuration(ms)}`);
    if (others.length > 0) {
      const verb = others.length === 1 ? "belongs" : "belong";
      terminal.print(`  ${formatCount(others.length, "replay")} ${verb} to none of these scores`);
    }
    terminal.printJson({
      ok: checked.every(({ verdict }) => EXIT_CODES[verdict] === EXIT.ok),
      counts,
      scores: checked,
      others: others.map(({ origin, problems }) => ({ origin, problems })),
    });
    const worst = (["DIVERGED", "CANNOT_RECOMPUTE"] as const).find((verdict) => counts[verdict] > 0);
    return worst === undefined ? EXIT.ok : EXIT_CODES[worst];
  },
});
