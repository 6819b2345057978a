/** Transactions and views of the world's chain, whose node signs for the wallets. */
import { type Address, createPublicClient, type Hex, http, numberToHex, parseAbi } from "viem";
import { createLocalSigner } from "../../../backend/adapters/signer/local.ts";
import { toGameId } from "../../../domain/replay/replay.ts";
import { createCall } from "../../../domain/typed-data/calls.ts";
import { createTypedData } from "../../../domain/typed-data/messages.ts";
import type { AnvilChain } from "../../../test/helpers/anvil-stack.ts";

const BATCH = 500;
const IDLE_BLOCKS = 70;
const DEADLINE_SECONDS = 250;

type Chain = Pick<AnvilChain, "client" | "deployment" | "keys" | "rpcUrl">;

const send = ({ client }: Pick<Chain, "client">, method: string, params: readonly unknown[]) =>
  client.request({ method, params } as never);

export function readAgentIds({ deployment, rpcUrl }: Chain, wallets: readonly Address[]): Promise<readonly bigint[]> {
  const client = createPublicClient({ transport: http(rpcUrl, { batch: { batchSize: 100 } }) });
  const abi = parseAbi(["function primaryIdentity(address wallet) view returns (uint256)"]);
  return Promise.all(
    wallets.map((wallet) =>
      client.readContract({ address: deployment.identity, abi, functionName: "primaryIdentity", args: [wallet] }),
    ),
  );
}

interface Scored {
  readonly wallet: Address;
  readonly score: number;
  readonly gameSessionHash: Hex;
}

/** Sends the signed snapshot of each session, and mines them. */
export async function bringOnChain(chain: Chain, slug: string, sessions: readonly Scored[]): Promise<void> {
  const { chainId, rewards } = chain.deployment;
  const signer = createLocalSigner(chain.keys.score);
  const block = (await send(chain, "eth_getBlockByNumber", ["latest", false])) as { readonly timestamp: Hex };
  const deadline = String(Number(block.timestamp) + DEADLINE_SECONDS);
  const gameId = toGameId(slug);
  for (let start = 0; start < sessions.length; start += BATCH) {
    await Promise.all(
      sessions.slice(start, start + BATCH).map(async ({ wallet, score, gameSessionHash }) => {
        const message = { wallet, gameId, score: String(score), gameSessionHash, deadline };
        const { signature } = await signer.sign(
          createTypedData("Snapshot", { chainId, verifyingContract: rewards }, message),
        );
        const args = [wallet, gameId, String(score), gameSessionHash, deadline, signature];
        const { data } = createCall(chainId, rewards, "snapshotScoreSigned", args);
        await send(chain, "eth_sendTransaction", [{ from: wallet, to: rewards, data, gas: numberToHex(400_000) }]);
      }),
    );
    await send(chain, "evm_mine", []);
  }
}

/** Afterwards there is a block each second. */
export async function mineIdleBlocks(chain: Pick<Chain, "client">): Promise<void> {
  await send(chain, "anvil_mine", [numberToHex(IDLE_BLOCKS)]);
  await send(chain, "evm_setIntervalMining", [1]);
}
