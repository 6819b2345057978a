/** `npm run replay`: replays a recorded session and compares it with the service's record and the chain's event. */
import { createPublicClient, http } from "viem";
import { readConfig } from "../backend/config/config.ts";
import { isLocalChain } from "../backend/domain/chain-ids.ts";
import { FINALITIES } from "../backend/domain/session.ts";
import { type ArcadeClient, createClient } from "../client/client.ts";
import { findSnapshotEvent, type SnapshotEvent } from "../client/snapshot-event.ts";
import { type ReplayVerdict, verifyReplay } from "../client/verify-replay.ts";
import { defineCommand, parseUrl } from "./cli/command.ts";
import { CommandError, EXIT } from "./cli/failures.ts";
import { formatDuration, formatInteger, padEnd } from "./cli/style.ts";
import type { Terminal } from "./cli/terminal.ts";
import { findReplay, type LoadedReplay } from "./replay/find.ts";
import { findEventOfOtherWallet } from "./replay/other-wallet.ts";

const FLAGS = {
  url: { type: "string", value: "URL", help: "the service", default: "ARCADE_PUBLIC_URL or http://127.0.0.1:4100" },
  rpc: { type: "string", value: "URL", help: "the chain's node; else ARCADE_RPC_URL, else the service's own" },
  offline: { type: "boolean", help: "do not read the chain" },
} as const;

/** The chain's node: from the flag, from the configuration, or from the service; null where none of them has one. */
async function findNodeUrl(given: string | undefined, client: ArcadeClient, chainId: number): Promise<string | null> {
  if (given !== undefined) return parseUrl("rpc", given);
  const config = readConfig();
  if (config.rpcUrl !== null) return config.rpcUrl;
  const instructions = await client.agent.agentInstructions().catch(() => null);
  if (instructions?.chainId === chainId && instructions.rpcUrl !== null) return instructions.rpcUrl;
  return isLocalChain(chainId) ? `http://127.0.0.1:${config.rpcPort}` : null;
}

async function readEvent(
  found: LoadedReplay,
  verdict: ReplayVerdict,
  node: string | null,
): Promise<SnapshotEvent | null> {
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
  const own = await findSnapshotEvent(publicClient, {
    rewards: replay.rewards,
    wallet: replay.wallet,
    gameSessionHash,
    txHash: record?.snapshot.txHash ?? null,
  });
  // The hash follows from the wallet: with another wallet in the replay, the session's event has another hash.
  return own ?? findEventOfOtherWallet(publicClient, replay, verdict.replayDigest);
}

const ON_CHAIN = new Set<string>(FINALITIES);

function printVerdict(
  found: LoadedReplay,
  verdict: ReplayVerdict,
  event: SnapshotEvent | null,
  checked: readonly string[],
  ms: number,
  terminal: Terminal,
): void {
  const { style } = terminal;
  const { replay, origin } = found;
  const row = (label: string, text: string): void => terminal.print(`  ${padEnd(style.dim(label), 16)} ${text}`);
  terminal.print(
    `\n  ${style.bold(replay.slug)}, rules ${replay.rulesVersion}, session ${replay.sessionId}  ${style.dim(origin)}\n`,
  );
  row("played again", `${formatInteger(verdict.ticks)} ticks in ${formatDuration(ms)}`);
  row("score", String(verdict.finalScore));
  row("replayDigest", verdict.replayDigest);
  row("gameSessionHash", verdict.gameSessionHash ?? "none: the session takes no part in rewards");
  row("on chain", event === null ? "no event" : `${event.score} points in block ${event.block}, ${event.txHash}`);
  row("compared with", checked.join(", "));
  terminal.print("");
  for (const { field, expected, received } of verdict.differences) {
    terminal.print(
      `  ${style.bad("✗")} ${style.bold(field)}: the new run gives ${expected}, the record has ${received}`,
    );
  }
  terminal.print(
    verdict.ok ? `  ${style.good("✓")} everything agrees` : `  ${style.bad(`${verdict.differences.length} differ`)}`,
  );
}

export const command = defineCommand({
  name: "replay",
  summary: "replays a recorded session and reports what differs from the service and the chain",
  args: { replay: { value: "REPLAY", help: "a file, a session's id, or the gameSessionHash of a score on chain" } },
  flags: FLAGS,
  examples: [
    "npm run replay -- 0190f1d5-7c4e-7abc-8def-0123456789ab",
    "npm run replay -- ./flappybots.json --rpc https://sepolia.base.org",
  ],
  async run({ flags, args }, terminal) {
    const config = readConfig();
    const url = parseUrl("url", flags.url ?? config.publicUrl ?? `http://127.0.0.1:${config.port}`);
    const client = createClient({ baseUrl: url, retry: { retries: 2, baseMs: 200 } });
    const found = await findReplay(args.replay, client);
    const { replay, record } = found;

    const startedAtMs = performance.now();
    const ownVerdict = await verifyReplay(replay);
    const ms = performance.now() - startedAtMs;
    const claims = {
      ...(record === null ? {} : { seedCommitment: record.seedCommitment }),
      ...(record?.replay == null ? {} : { replayDigest: record.replay.digest }),
      ...(record?.snapshot.gameSessionHash == null ? {} : { gameSessionHash: record.snapshot.gameSessionHash }),
    };
    const mayBeOnChain = ownVerdict.gameSessionHash !== null && flags.offline !== true;
    const event = mayBeOnChain
      ? await readEvent(found, ownVerdict, await findNodeUrl(flags.rpc, client, replay.chainId))
      : null;
    const compared = await verifyReplay(replay, { ...claims, ...(event === null ? {} : { event }) });
    const missing = mayBeOnChain && event === null && record !== null && ON_CHAIN.has(record.snapshot.state);
    const differences = missing
      ? [
          ...compared.differences,
          { field: "event", expected: "no event on chain", received: `snapshot ${record.snapshot.state}` },
        ]
      : compared.differences;
    const verdict = { ...compared, ok: differences.length === 0, differences };

    const checked = [
      "itself",
      ...(record === null ? [] : ["the service's record"]),
      ...(event === null ? [] : ["the chain's event"]),
    ];
    printVerdict(found, verdict, event, checked, ms, terminal);
    terminal.printJson({ ...verdict, sessionId: replay.sessionId, slug: replay.slug, event, comparedWith: checked });
    return verdict.ok ? EXIT.ok : EXIT.error;
  },
});
