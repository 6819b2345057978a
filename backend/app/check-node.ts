/**
 * The checks of `serve` at the chain's node before it starts. An unavailable node is checked later, while the service
 * runs.
 */
import type { Address } from "viem";
import { getKeyAddress, type KeySource } from "../../domain/keys.ts";
import { createReader } from "../adapters/chain/reader/reader.ts";
import { createRpc, type Rpc } from "../adapters/chain/rpc.ts";
import { findRemedy, toLogFields } from "../adapters/chain/rpc-errors.ts";
import { systemClock } from "../adapters/system/clock.ts";
import { ConfigError } from "../config/config.ts";
import type { ServiceKeys } from "../config/service-keys.ts";
import { SECRETS, toGameVariable } from "../config/table.ts";
import type { ChainReader, Deployment } from "../ports/chain.ts";
import type { Log } from "../ports/system.ts";

/** The start must not wait long for a node that does not respond. */
const DEADLINE_MS = 3_000;

export interface CheckNodeOptions {
  readonly rpcUrl: string;
  /** Further nodes of the same chain. */
  readonly moreRpcUrls?: readonly string[];
  readonly deployment: Deployment;
  readonly keys: Pick<ServiceKeys, "identity" | "score" | "nft" | "operator">;
  readonly log: Log;
}

/**
 * Throws `ConfigError` if a node serves another chain, if its blocks have no base fee, or if the contracts do not accept
 * the service's keys.
 */
export async function checkNode({ rpcUrl, moreRpcUrls = [], deployment, keys, log }: CheckNodeOptions): Promise<void> {
  const { chainId } = deployment;
  const rpcs = [rpcUrl, ...moreRpcUrls].map((url) => createRpc({ rpcUrl: url, chainId, clock: systemClock }));
  const served = await Promise.all(rpcs.map((rpc, index) => readChainId(rpc, { node: index + 1, log })));
  const otherChains = served.flatMap((servedChainId, index) => {
    if (servedChainId === null || servedChainId === chainId) return [];
    const place = rpcs.length === 1 ? "" : `, node ${index + 1}`;
    return [
      `ARCADE_RPC_URL${place}: expected a node of chain ${chainId} (from ARCADE_DEPLOYMENT), received one of ${servedChainId}`,
    ];
  });
  if (otherChains.length > 0) throw new ConfigError(otherChains);
  const rpc = rpcs.find((_, index) => served[index] === chainId);
  if (rpc === undefined) return;
  await requireBaseFee(rpc, chainId);
  const reader = createReader({ rpc, deployment });
  const issues = await findKeyIssues(reader, deployment, keys).catch((error: unknown) => {
    log.warn(toLogFields(error), "the signing keys could not be checked; /readyz reports them");
    return [];
  });
  if (issues.length > 0) throw new ConfigError(issues);
}

/** The operator signs EIP-1559 transactions only. Throws `ConfigError`. */
async function requireBaseFee({ client }: Rpc, chainId: number): Promise<void> {
  const block = await client.getBlock({ blockTag: "latest" }).catch(() => null);
  if (block === null || block.baseFeePerGas !== null) return;
  throw new ConfigError([
    `ARCADE_RPC_URL: expected a chain whose blocks have a base fee (EIP-1559), which payouts and other transactions of the operator need, received chain ${chainId} without one; deploy on a chain with EIP-1559`,
  ]);
}

/** Null if the node does not answer. */
async function readChainId(
  { client }: Rpc,
  { node, log }: { readonly node: number; readonly log: Log },
): Promise<number | null> {
  try {
    // Bypasses the connection's own check, which would report another chain as an unavailable node.
    const signal = AbortSignal.timeout(DEADLINE_MS);
    return await Promise.race([
      client.getChainId(),
      new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(new Error("timeout")))),
    ]);
  } catch (error) {
    const { reason = "no answer" } = toLogFields(error) as { reason?: string };
    const next = findRemedy(reason);
    log.warn(
      { node, reason, ...(next === undefined ? {} : { next }) },
      "the chain's node does not answer; the service starts without it and /readyz reports it",
    );
    return null;
  }
}

/** The problems that the contracts have with these keys; empty if they accept all. Throws `CHAIN_UNAVAILABLE`. */
export async function findKeyIssues(
  reader: ChainReader,
  { identity, rewards, nft }: Deployment,
  keys: CheckNodeOptions["keys"],
): Promise<string[]> {
  const signers: readonly (readonly [variable: string, contract: Address, key: KeySource | undefined])[] = [
    [SECRETS.identitySigner.name, identity, keys.identity],
    [SECRETS.scoreSigner.name, rewards, keys.score],
    ...Object.entries(nft).map(
      ([slug, address]) => [toGameVariable(SECRETS.nftSigners.name, slug), address, keys.nft[slug]] as const,
    ),
  ];
  const issues = await Promise.all(
    signers.map(async ([variable, contract, key]) => {
      if (key === undefined) return [];
      const received = getKeyAddress(key);
      const accepted = await reader.getSigners(contract);
      if (accepted.includes(received)) return [];
      const expected = accepted.length === 0 ? "a signer" : `the key of ${accepted.join(" or ")}`;
      return [`${variable}: expected ${expected}, which contract ${contract} accepts, received the key of ${received}`];
    }),
  );
  const operator = getKeyAddress(keys.operator);
  const [isOperator] = await reader.checkRoles([{ role: "operator", contract: rewards, account: operator }]);
  if (!isOperator)
    issues.push([
      `${SECRETS.operator.name}: expected an account with the operator's role in contract ${rewards}, received the key of ${operator}`,
    ]);
  return issues.flat();
}
