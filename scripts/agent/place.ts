/** Where the agents live: the service, its chain and a way to read it. */
import { createPublicClient, http, type PublicClient } from "viem";
import { createClient } from "../../client/client.ts";
import type { Instructions } from "../../client/types.ts";
import { CommandError, EXIT } from "../cli/failures.ts";

export const LOCAL_CHAIN_ID = 31337;

export interface Place {
  readonly url: string;
  readonly rpcUrl: string;
  readonly chainId: number;
  readonly instructions: Instructions;
  readonly publicClient: PublicClient;
}

const RPC_TIMEOUT_MS = 15_000;

export function readerOf(rpcUrl: string, chainId: number): PublicClient {
  // A local block comes with its transaction; elsewhere once a second is soon enough.
  const pollingInterval = chainId === LOCAL_CHAIN_ID ? 100 : 1_000;
  return createPublicClient({ transport: http(rpcUrl, { timeout: RPC_TIMEOUT_MS, retryCount: 2 }), pollingInterval });
}

/** Asks the service where it is; `rpcUrl` overrides the node it tells. Throws `ArcadeApiError` or `CommandError`. */
export async function findPlace(url: string, rpcUrl: string | null): Promise<Place> {
  // Nobody wants to wait half a minute to hear that nothing runs there.
  const instructions = await createClient({
    baseUrl: url,
    retry: { retries: 2, baseMs: 200 },
  }).agent.agentInstructions();
  const { chainId } = instructions;
  const node = rpcUrl ?? instructions.rpcUrl;
  if (node === null) {
    throw new CommandError(`The service works on chain ${chainId} and tells no node of it.`, {
      exitCode: EXIT.usage,
      next: "give one with --rpc https://…",
    });
  }
  const publicClient = readerOf(node, chainId);
  const found = await publicClient.getChainId().catch((cause: unknown) => {
    throw new CommandError(`The chain's node at ${new URL(node).host} does not answer.`, {
      exitCode: EXIT.chain,
      next: "check --rpc",
      cause,
    });
  });
  if (found !== chainId) {
    throw new CommandError(`The node at ${new URL(node).host} is on chain ${found}, the service on ${chainId}.`, {
      exitCode: EXIT.chain,
      next: "give the node of the service's chain with --rpc",
    });
  }
  return { url, rpcUrl: node, chainId, instructions, publicClient };
}
