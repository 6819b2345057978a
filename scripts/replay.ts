/** `npm run replay`: replays a recorded session and compares it with the service's record and the chain's event. */
import { createPublicClient, http, type PublicClient } from "viem";
import { type ArcadeClient, createClient } from "../client/client.ts";
import { findSnapshotEvent, listSnapshotEvents, type SnapshotEvent } from "../client/snapshot-event.ts";
import { type ReplayVerdict, toReason, verifyReplay } from "../client/verify-replay.ts";
import { isLocalChain } from "../domain/chain-ids.ts";
import type { ReplayDifference } from "../domain/replay/verify.ts";
import { FINALITIES } from "../domain/session.ts";
import { defineCommand, parseServiceFlag } from "./cli/command.ts";
import { CommandError, EXIT, type ExitCode, UsageError } from "./cli/failures.ts";
import { findGivenNode, RPC_FLAG } from "./cli/node.ts";
import { readServiceConfig } from "./cli/service-config.ts";
import { formatCount, formatDuration, formatInteger, padEnd } from "./cli/style.ts";
import type { Terminal } from "./cli/terminal.ts";
import { openOutputFolder } from "./cli/user-paths.ts";
import { exportReplays } from "./replay/export.ts";
import { findReplay, type LoadedReplay, MalformedReplay } from "./replay/find.ts";
import { findAlteredPart } from "./verify/altered-part.ts";

const FLAGS = {
  url: { type: "string", value: "URL", help: "the service", default: "ARCADE_PUBLIC_URL or http://127.0.0.1:4100" },
  ...RPC_FLAG,
  offline: { type: "boolean", help: "do not read the chain" },
  to: { type: "string", value: "DIR", help: "with `export`: the folder for all replays of the service" },
} as const;

/** The chain's node: the given one, or the service's; null without both. */
async function findNodeUrl(given: string | undefined, client: ArcadeClient, chainId: number): Promise<string | null> {
  if (given !== undefined) return given;
  const instructions = await client.agent.agentInstructions().catch(() => null);
  if (instructions?.chainId === chainId && instructions.rpcUrl !== null) return instructions.rpcUrl;
  return isLocalChain(chainId) ? `http://127.0.0.1:${readServiceConfig().rpcPort}` : null;
}

/** The event of the replay's session; if there is none, an event that matches after changing one field. */
async function readEvent(
  { replay, record }: LoadedReplay,
  verdict: ReplayVerdict,
  node: string | null,
): Promise<SnapshotEvent | null> {
  if (node === null) {
    throw new CommandError(`No node of chain ${replay.chainId} is known, so the chain's event cannot be compared.`, {
      exitCode: EXIT.chain,
      next: "set one with --rpc, or skip the chain with --offline",
    });
  }
  const publicClient = createPublicClient({ transport: http(node, { timeout: 15_000, retryCount: 1 }) });
  const { rewards, wallet } = replay;
  const { gameSessionHash } = verdict;
  if (gameSessionHash === null) return null;
  const txHash = record?.snapshot.txHash ?? null;
  const own = await findSnapshotEvent(publicClient, { rewards, wallet, gameSessionHash, txHash });
  if (own !== null) return own;
  // The hash depends on wallet, sequence, chain and contract: with other values the session has another hash.
  const events = await listSnapshotEvents(publicClient, { rewards });
  const altered = events.find((event) => findAlteredPart(replay, event) !== null) ?? null;
  if (altered === null) await requireChain(publicClient, replay.chainId);
  return altered;
}

/** A node of another chain does not show that a score is missing. */
async function requireChain(publicClient: PublicClient, chainId: number): Promise<void> {
  const found = await publicClient.getChainId();
  if (found === chainId) return;
  throw new CommandError(`The node is on chain ${found}, the replay is of chain ${chainId}.`, {
    exitCode: EXIT.chain,
    next: `set a node of chain ${chainId} with --rpc`,
  });
}

const ON_CHAIN = new Set<string>(FINALITIES);

/** What the chain's event, or a missing one, adds to the comparison. */
function listChainDifferences(
  { replay, record }: LoadedReplay,
  verdict: ReplayVerdict,
  event: SnapshotEvent | null,
): readonly ReplayDifference[] {
  if (event === null) {
    const isClaimed = record !== null && ON_CHAIN.has(record.snapshot.state);
    return isClaimed
      ? [{ field: "event", expected: "no event on chain", received: `snapshot ${record.snapshot.state}` }]
      : [];
  }
  if (event.gameSessionHash === verdict.gameSessionHash) return [];
  const altered = findAlteredPart(replay, event);
  return altered === null ? [] : [altered];
}

/** The verdict on a replay, compared with the service's record and the chain's event. */
async function compareWithClaims(found: LoadedReplay, event: SnapshotEvent | null): Promise<ReplayVerdict> {
  const { replay, record } = found;
  const compared = await verifyReplay(replay, {
    ...(record === null ? {} : { session: record }),
    ...(event === null ? {} : { event }),
  });
  const chainDifferences = listChainDifferences(found, compared, event);
  if (chainDifferences.length === 0) return compared;
  const differences = [...chainDifferences, ...compared.differences];
  return { ...compared, ok: false, verdict: "DIVERGED", reason: toReason(differences), differences };
}

function printVerdict(
  found: LoadedReplay,
  verdict: ReplayVerdict,
  event: SnapshotEvent | null,
  checked: readonly string[],
  { ms, conclusion }: { readonly ms: number; readonly conclusion: Conclusion },
  terminal: Terminal,
): void {
  const { style } = terminal;
  const { replay, origin } = found;
  const row = (label: string, text: string): void => terminal.print(`  ${padEnd(style.dim(label), 16)} ${text}`);
  terminal.print(
    `\n  ${style.bold(replay.slug)}, rules ${replay.rulesVersion}, session ${replay.sessionId}  ${style.dim(origin)}\n`,
  );
  row("played again", `in ${formatDuration(ms)}`);
  if (verdict.finalScore !== null) row("score", `${verdict.finalScore} in ${formatCount(verdict.ticks ?? 0, "tick")}`);
  row("replayDigest", verdict.replayDigest);
  row("gameSessionHash", verdict.gameSessionHash ?? "none: the session does not count for rewards");
  row(
    "on chain",
    event === null
      ? "no event"
      : `${formatCount(Number(event.score), "point")} in block ${event.block}, ${event.txHash}`,
  );
  row("compared with", checked.join(", "));
  terminal.print("");
  for (const { field, expected, received } of verdict.differences) {
    terminal.print(`  ${style.bad("✗")} ${style.bold(field)}: expected ${expected}, received ${received}`);
  }
  const paint = conclusion.exitCode === EXIT.ok ? style.good : style.bad;
  terminal.print(`  ${paint(conclusion.text)}`);
}

interface Conclusion {
  readonly exitCode: ExitCode;
  readonly text: string;
}

/** `mayBeOnChain`: the score was looked up on chain, or the replay is a file without a score there. */
function conclude(
  { verdict, differences, gameSessionHash }: ReplayVerdict,
  event: SnapshotEvent | null,
  mayBeOnChain: boolean,
): Conclusion {
  const isOnChain = event !== null && event.gameSessionHash === gameSessionHash;
  if (differences.length > 0) {
    const verb = differences.length === 1 ? "differs" : "differ";
    const text = `${verdict}: ${formatCount(differences.length, "part")} ${verb}`;
    return { exitCode: mayBeOnChain && !isOnChain ? EXIT.notOnChain : EXIT.error, text };
  }
  if (mayBeOnChain && !isOnChain) {
    return {
      exitCode: EXIT.notOnChain,
      text: "NOT ON CHAIN: the replay is consistent, but the chain has no score for it",
    };
  }
  const played = verdict === "SIGNED_BY_PLAYER" ? "the wallet signed it" : "the wallet has not signed it";
  const compared = isOnChain ? "everything agrees, the chain's event included" : "the chain was not compared";
  return { exitCode: EXIT.ok, text: `${verdict}: ${compared}; ${played}` };
}

/** A file with invalid fields: no score on chain belongs to it. */
function reportMalformed({ message, problems }: MalformedReplay, isOffline: boolean, terminal: Terminal): number {
  terminal.print(`  ${terminal.style.bad("DIVERGED")} ${message}`);
  terminal.printJson({ ok: false, verdict: "DIVERGED", reason: message, differences: problems, event: null });
  return isOffline ? EXIT.error : EXIT.notOnChain;
}

async function runExport(client: ArcadeClient, to: string | undefined, terminal: Terminal) {
  if (to === undefined) throw new UsageError("export: expected --to DIR");
  const folder = openOutputFolder("to", to);
  const { written, kept } = await exportReplays(client, folder);
  const verb = kept === 1 ? "was" : "were";
  terminal.print(`${formatCount(written, "replay")} written to ${folder}, ${formatInteger(kept)} ${verb} there`);
  return { folder, written, kept };
}

export const command = defineCommand({
  name: "replay",
  summary: "replays a recorded session and reports what differs from the service and the chain",
  args: {
    replay: { value: "REPLAY", help: "a file, a session's id, the gameSessionHash of a score on chain, or `export`" },
  },
  flags: FLAGS,
  examples: [
    "npm run replay -- 0190f1d5-7c4e-7abc-8def-0123456789ab",
    "npm run replay -- ./flappybots.json --rpc https://sepolia.base.org",
    "npm run replay -- export --to ./replays",
  ],
  notes: ["Exit code 1: something differs. 7: the chain has no score for the replay."],
  async run({ flags, args }, terminal) {
    const isOffline = flags.offline === true;
    const config = readServiceConfig();
    const url = parseServiceFlag(flags.url ?? config.publicUrl ?? `http://127.0.0.1:${config.port}`);
    const client = createClient({ baseUrl: url, retry: { retries: 2, baseMs: 200 } });
    if (args.replay === "export") return runExport(client, flags.to, terminal);
    const found = await findReplay(args.replay, client).catch((error: unknown) => {
      if (error instanceof MalformedReplay) return error;
      throw error;
    });
    if (found instanceof MalformedReplay) return reportMalformed(found, isOffline, terminal);
    const { replay, record } = found;

    const startedAtMs = performance.now();
    const ownVerdict = await verifyReplay(replay);
    const ms = performance.now() - startedAtMs;
    // A file of a session without rewards (sequence 0) has no hash that could be on chain.
    const hasHash = ownVerdict.gameSessionHash !== null;
    const event =
      hasHash && !isOffline
        ? await readEvent(found, ownVerdict, await findNodeUrl(findGivenNode(flags), client, replay.chainId))
        : null;
    const verdict = await compareWithClaims(found, event);
    const conclusion = conclude(verdict, event, !isOffline && (hasHash || record === null));

    const checked = ["itself"];
    if (record !== null) checked.push("the service's record");
    if (event !== null) checked.push("the chain's event");
    printVerdict(found, verdict, event, checked, { ms, conclusion }, terminal);
    terminal.printJson({
      ...verdict,
      ok: conclusion.exitCode === EXIT.ok,
      conclusion: conclusion.text,
      sessionId: replay.sessionId,
      slug: replay.slug,
      event,
      comparedWith: checked,
    });
    return conclusion.exitCode;
  },
});
