/** What `serve` checks at the chain's node before it starts; a node that is away is checked while the service runs. */
import type { Address, Hex } from "viem";
import { createReader } from "./adapters/chain/reader/reader.ts";
import { createRpc, toLogFields } from "./adapters/chain/rpc.ts";
import { systemClock } from "./adapters/clock.ts";
import { createSigningKey } from "./adapters/signer/secp256k1.ts";
import { ConfigError } from "./config/config.ts";
import type { ServiceKeys } from "./config/service-keys.ts";
import { SECRETS, toGameVariable } from "./config/table.ts";
import type { ChainReader, Deployment } from "./ports/chain.ts";
import type { Log } from "./ports/system.ts";

/** A start must not wait long for a node that does not respond. */
const DEADLINE_MS = 3_000;

export interface CheckNodeOptions {
  readonly rpcUrl: string;
  readonly deployment: Deployment;
  readonly keys: Pick<ServiceKeys, "identity" | "score" | "nft" | "operator">;
  readonly log: Log;
}

/** Throws `ConfigError` where the node serves another chain, or where the contracts do not accept the service's keys. */
export async function checkNode({ rpcUrl, deployment, keys, log }: CheckNodeOptions): Promise<void> {
  const rpc = createRpc({ rpcUrl, chainId: deployment.chainId, clock: systemClock });
  let servedChainId: number;
  try {
    // Past the connection's own check, which would report another chain as a node that is away.
    const signal = AbortSignal.timeout(DEADLINE_MS);
    servedChainId = await Promise.race([
      rpc.client.getChainId(),
      new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(new Error("timeout")))),
    ]);
  } catch (error) {
    const { reason = "no answer" } = toLogFields(error) as { reason?: string };
    log.warn({ reason }, "the chain's node does not answer; the service starts without it and /readyz reports it");
    return;
  }
  if (servedChainId !== deployment.chainId)
    throw new ConfigError([
      `ARCADE_RPC_URL: expected a node of chain ${deployment.chainId} (from ARCADE_DEPLOYMENT), received one of ${servedChainId}`,
    ]);
  const reader = createReader({ rpc, deployment });
  const issues = await findKeyIssues(reader, deployment, keys).catch((error: unknown) => {
    log.warn(toLogFields(error), "the signing keys could not be checked; /readyz reports them");
    return [];
  });
  if (issues.length > 0) throw new ConfigError(issues);
}

async function findKeyIssues(
  reader: ChainReader,
  { identity, rewards, nft }: Deployment,
  keys: CheckNodeOptions["keys"],
): Promise<string[]> {
  const signers: readonly (readonly [variable: string, contract: Address, key: Hex | undefined])[] = [
    [SECRETS.identitySigner.name, identity, keys.identity],
    [SECRETS.scoreSigner.name, rewards, keys.score],
    ...Object.entries(nft).map(
      ([slug, address]) => [toGameVariable(SECRETS.nftSigners.name, slug), address, keys.nft[slug]] as const,
    ),
  ];
  const issues = await Promise.all(
    signers.map(async ([variable, contract, key]) => {
      if (key === undefined) return [];
      const received = createSigningKey(key).address;
      const accepted = await reader.getSigners(contract);
      if (accepted.includes(received)) return [];
      const expected = accepted.length === 0 ? "a signer" : `the key of ${accepted.join(" or ")}`;
      return [`${variable}: expected ${expected}, which contract ${contract} accepts, received the key of ${received}`];
    }),
  );
  const operator = createSigningKey(keys.operator).address;
  if (!(await reader.isOperator(operator)))
    issues.push([
      `${SECRETS.operator.name}: expected an account with the operator's role in contract ${rewards}, received the key of ${operator}`,
    ]);
  return issues.flat();
}
