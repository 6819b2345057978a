/** `npm run replay`: plays a recorded session again and compares it with what the service and the chain say. */
import { createPublicClient, http } from "viem";
import { readConfig } from "../backend/config/config.ts";
import { LOCAL_CHAIN_ID } from "../backend/config/dev-keys.ts";
import { type ArcadeClient, createClient } from "../client/client.ts";
import { findSnapshotEvent, type SnapshotEvent } from "../client/snapshot-event.ts";
import { type ReplayVerdict, verifyReplay } from "../client/verify-replay.ts";
import { type Command, type Flag, runCommand, type Terminal, urlOf } from "./cli/command.ts";
import { CommandError, EXIT, UsageError } from "./cli/failures.ts";
import { duration, padEnd, thousands } from "./cli/style.ts";
import { type Found, findReplay } from "./replay/find.ts";

const FLAGS = {
  url: { type: "string", value: "URL", help: "the service", default: "ARCADE_PUBLIC_URL or http://127.0.0.1:4100" },
  rpc: { type: "string", value: "URL", help: "the chain's node; else ARCADE_RPC_URL, else what the service tells" },
  offline: { type: "boolean", help: "do not read the chain" },
} as const satisfies { [name: string]: Flag };

/** The node to read: as told, as configured, or as the service tells. Null where nobody knows one. */
async function nodeOf(given: string | undefined, client: ArcadeClient, chainId: number): Promise<string | null> {
  if (given !== undefined) return urlOf("rpc", given);
  const config = readConfig();
  if (config.rpcUrl !== null) return config.rpcUrl;
  const instructions = await client.agent.agentInstructions().catch(() => null);
  if (instructions?.chainId === chainId && instructions.rpcUrl !== null) return instructions.rpcUrl;
  return chainId === LOCAL_CHAIN_ID ? `http://127.0.0.1:${config.rpcPort}` : null;
}

async function readEvent(found: Found, verdict: ReplayVerdict, node: string | null): Promise<SnapshotEvent | null> {
  const { replay, record } = found;
  if (node === null) {
    throw new CommandError(`No node of chain ${replay.chainId} is known, so the chain's event cannot be compared.`, {
      exitCode: EXIT.chain,
      next: "give one with --rpc, or leave the chain out with --offline",
    });
  }
  const publicClient = createPublicClient({ transport: http(node, { timeout: 15_000, retryCount: 1 }) });
  const { gameSessionHash } = verdict;
  if (gameSessionHash === null) return null;
  return findSnapshotEvent(publicClient, {
    rewards: replay.rewards,
    wallet: replay.wallet,
    gameSessionHash,
    txHash: record?.snapshot.txHash ?? null,
  });
}

const ON_CHAIN = new Set(["included", "safe", "final"]);

function tell(
  found: Found,
  verdict: ReplayVerdict,
  event: SnapshotEvent | null,
  checked: readonly string[],
  ms: number,
  terminal: Terminal,
): void {
  const { style } = terminal;
  const { replay, origin } = found;
  const row = (head: string, words: string): void => terminal.say(`  ${padEnd(style.dim(head), 16)} ${words}`);
  terminal.say(
    `\n  ${style.bold(replay.slug)}, rules ${replay.rulesVersion}, session ${replay.sessionId}  ${style.dim(origin)}\n`,
  );
  row("played again", `${thousands(verdict.ticks)} ticks in ${duration(ms)}`);
  row("score", String(verdict.finalScore));
  row("replayDigest", verdict.replayDigest);
  row("gameSessionHash", verdict.gameSessionHash ?? "none: the session takes no part in rewards");
  row("on chain", event === null ? "no event" : `${event.score} points in block ${event.block}, ${event.txHash}`);
  row("compared with", checked.join(", "));
  terminal.say("");
  for (const { field, expected, received } of verdict.differences) {
    terminal.say(
      `  ${style.bad("✗")} ${style.bold(field)}: the fresh run gives ${expected}, the record says ${received}`,
    );
  }
  terminal.say(
    verdict.ok ? `  ${style.good("✓")} all of it agrees` : `  ${style.bad(`${verdict.differences.length} differ`)}`,
  );
}

const command: Command<typeof FLAGS> = {
  name: "replay",
  summary: "plays a recorded session again and says what differs from the service and the chain",
  positionals: "FILE|SESSION_ID|GAME_SESSION_HASH",
  flags: FLAGS,
  examples: [
    "npm run replay -- 0190f1d5-7c4e-7abc-8def-0123456789ab",
    "npm run replay -- ./flappybots.json --rpc https://sepolia.base.org",
  ],
  async run({ flags, positionals }, terminal) {
    const [what, ...rest] = positionals;
    if (what === undefined || rest.length > 0)
      throw new UsageError("Expected one replay: a file, a session id or a gameSessionHash");
    const config = readConfig();
    const url = urlOf("url", flags.url ?? config.publicUrl ?? `http://127.0.0.1:${config.port}`);
    const client = createClient({ baseUrl: url, retry: { retries: 2, baseMs: 200 } });
    const found = await findReplay(what, client);
    const { replay, record } = found;

    const startedAtMs = performance.now();
    const alone = await verifyReplay(replay);
    const ms = performance.now() - startedAtMs;
    const claims = {
      ...(record === null ? {} : { seedCommitment: record.seedCommitment }),
      ...(record?.replay == null ? {} : { replayDigest: record.replay.digest }),
      ...(record?.snapshot.gameSessionHash == null ? {} : { gameSessionHash: record.snapshot.gameSessionHash }),
    };
    const mayBeOnChain = alone.gameSessionHash !== null && flags.offline !== true;
    const event = mayBeOnChain ? await readEvent(found, alone, await nodeOf(flags.rpc, client, replay.chainId)) : null;
    const told = await verifyReplay(replay, { ...claims, ...(event === null ? {} : { event }) });
    const missing = mayBeOnChain && event === null && record !== null && ON_CHAIN.has(record.snapshot.state);
    const differences = missing
      ? [
          ...told.differences,
          { field: "event", expected: "no event on chain", received: `snapshot ${record.snapshot.state}` },
        ]
      : told.differences;
    const verdict = { ...told, ok: differences.length === 0, differences };

    const checked = [
      "itself",
      ...(record === null ? [] : ["the service's record"]),
      ...(event === null ? [] : ["the chain's event"]),
    ];
    tell(found, verdict, event, checked, ms, terminal);
    terminal.answer({ ...verdict, sessionId: replay.sessionId, slug: replay.slug, event, comparedWith: checked });
    return verdict.ok ? EXIT.ok : EXIT.fault;
  },
};

process.exitCode = await runCommand(command);
