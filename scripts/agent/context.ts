/** What agents connect to: the service, its chain and a client for it. */
import { createPublicClient, http, type PublicClient } from "viem";
import type { Instructions } from "../../client/api.ts";
import { createClient } from "../../client/client.ts";
import { type ArcadeContracts, toContracts } from "../../client/contracts.ts";
import { readDeployment } from "../../deploy/record.ts";
import { isLocalChain } from "../../domain/chain-ids.ts";
import { CommandError, EXIT } from "../cli/failures.ts";
import type { AgentOptions } from "./options.ts";

export interface AgentContext {
  readonly url: string;
  readonly rpcUrl: string;
  readonly chainId: number;
  readonly instructions: Instructions;
  /** The contracts that wallets may call, for the whole run. */
  readonly contracts: ArcadeContracts;
  readonly publicClient: PublicClient;
}

const RPC_TIMEOUT_MS = 15_000;

function createChainReader(rpcUrl: string, chainId: number): PublicClient {
  // The local chain mines a block per transaction; other chains take a second or more.
  const pollingInterval = isLocalChain(chainId) ? 100 : 1_000;
  return createPublicClient({ transport: http(rpcUrl, { timeout: RPC_TIMEOUT_MS, retryCount: 2 }), pollingInterval });
}

/** Reads an addresses file. Throws `CommandError` if it is invalid or for another chain. */
async function readContracts(path: string, chainId: number): Promise<ArcadeContracts> {
  const record = await readDeployment(path).catch((cause: unknown) => {
    throw new CommandError(`--deployment: ${(cause as Error).message}`, { exitCode: EXIT.usage, cause });
  });
  if (record?.chainId === chainId) return record;
  const received = record === null ? "no file" : `one of chain ${record.chainId}`;
  throw new CommandError(
    `--deployment: expected the addresses file of chain ${chainId}, received ${received} (${path}).`,
    {
      exitCode: EXIT.usage,
    },
  );
}

/**
 * Asks the service for its chain and contracts. `rpcUrl` replaces its node, an addresses file its contracts. Throws
 * `ArcadeApiError` or `CommandError`.
 */
export async function loadAgentContext({
  url,
  rpcUrl,
  deploymentPath,
}: Pick<AgentOptions, "url" | "rpcUrl" | "deploymentPath">): Promise<AgentContext> {
  // Few and short retries: if no service runs, the error must come within seconds.
  const instructions = await createClient({
    baseUrl: url,
    retry: { retries: 2, baseMs: 200 },
  }).agent.agentInstructions();
  const { chainId } = instructions;
  const node = rpcUrl ?? instructions.rpcUrl;
  if (node === null) {
    throw new CommandError(`The service uses chain ${chainId} and publishes no node for it.`, {
      exitCode: EXIT.usage,
      next: "set one with --rpc https://…",
    });
  }
  const publicClient = createChainReader(node, chainId);
  const nodeChainId = await publicClient.getChainId();
  if (nodeChainId !== chainId) {
    throw new CommandError(`The node at ${new URL(node).host} is on chain ${nodeChainId}, the service on ${chainId}.`, {
      exitCode: EXIT.chain,
      next: "set the node of the service's chain with --rpc",
    });
  }
  const contracts = deploymentPath === null ? toContracts(instructions) : await readContracts(deploymentPath, chainId);
  return { url, rpcUrl: node, chainId, instructions, contracts, publicClient };
}
