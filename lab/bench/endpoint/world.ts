/** The world of the signed endpoints: a public chain with one-second blocks, wallets with identities, ended sessions. */
import { type Address, encodeFunctionData, type Hex, numberToHex, parseAbi } from "viem";
import { privateKeyToAddress } from "viem/accounts";
import type { Deployment } from "../../../backend/ports/chain.ts";
import { computeGameSessionHash } from "../../../domain/replay/replay.ts";
import { type AnvilChain, startAnvilChain } from "../../../test/helpers/anvil-stack.ts";
import { createWallet, digest, toHex } from "../server/identities.ts";
import { bringOnChain, mineIdleBlocks, readAgentIds } from "./world-chain.ts";

const CHAIN_ID = 84_532;
export const SLUG = "shellrunners";
const SCORE = 120;
/** Enough for the first tier of the game's NFT. */
const SCORE_ON_CHAIN = 240;
const BLOCK_GAS_LIMIT = 2_000_000_000;
const BATCH = 500;
/** One whose snapshot is on chain, and one to snapshot. */
const SESSIONS_PER_WALLET = 2;

const getSessionId = (n: number): string => {
  const hex = digest(`session ${n}`).toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
};

/** An ended session whose score is verified. */
export interface EndedSession {
  readonly sessionId: string;
  readonly wallet: Address;
  readonly agentId: string;
  /** Its snapshot is in a block; true for the first session of each wallet. */
  readonly isOnChain: boolean;
  readonly sequence: number;
  readonly score: number;
  readonly gameSessionHash: Hex;
}

export interface World {
  readonly rpcUrl: string;
  readonly deployment: Deployment;
  readonly keys: AnvilChain["keys"];
  readonly folder: string;
  readonly wallets: readonly Address[];
  /** Two of each wallet, in the order of the wallets: first those on chain, then the others. */
  readonly sessions: readonly EndedSession[];
  close(): Promise<void>;
}

/** Registers an identity for each wallet; the node signs for them. */
async function mintIdentities(
  { client, deployment, keys }: Pick<AnvilChain, "client" | "deployment" | "keys">,
  wallets: readonly Address[],
): Promise<void> {
  const abi = parseAbi(["function setOpenRegistration(bool open)", "function register()"]);
  const send = (method: string, params: readonly unknown[]) => client.request({ method, params } as never);
  await send("evm_setBlockGasLimit", [numberToHex(BLOCK_GAS_LIMIT)]);
  await send("anvil_autoImpersonateAccount", [true]);
  const open = encodeFunctionData({ abi, functionName: "setOpenRegistration", args: [true] });
  await send("eth_sendTransaction", [{ from: privateKeyToAddress(keys.admin), to: deployment.identity, data: open }]);
  const data = encodeFunctionData({ abi, functionName: "register" });
  await send("evm_setAutomine", [false]);
  for (let start = 0; start < wallets.length; start += BATCH) {
    await Promise.all(
      wallets.slice(start, start + BATCH).map(async (from) => {
        await send("anvil_setBalance", [from, numberToHex(10n ** 18n)]);
        await send("eth_sendTransaction", [{ from, to: deployment.identity, data, gas: numberToHex(400_000) }]);
      }),
    );
    await send("evm_mine", []);
  }
}

function createSessions(
  { rewards }: Deployment,
  wallets: readonly Address[],
  agentIds: readonly bigint[],
): EndedSession[] {
  return Array.from({ length: wallets.length * SESSIONS_PER_WALLET }, (_, n) => {
    const wallet = wallets[n % wallets.length]!;
    const isOnChain = n < wallets.length;
    const score = isOnChain ? SCORE_ON_CHAIN : SCORE;
    const sequence = 1 + Math.floor(n / wallets.length);
    const sessionId = getSessionId(n);
    const replayDigest = toHex(digest(`replay ${n}`));
    const facts = { chainId: CHAIN_ID, rewards, slug: SLUG, wallet, sessionId, replayDigest, finalScore: score };
    const gameSessionHash = computeGameSessionHash({ ...facts, sequence: BigInt(sequence) });
    const agentId = String(agentIds[n % wallets.length]);
    return { sessionId, wallet, agentId, isOnChain, sequence, score, gameSessionHash };
  });
}

/** The chain and its wallets. */
export async function createWorld(walletCount: number): Promise<World> {
  const chain = await startAnvilChain(CHAIN_ID);
  try {
    const wallets = Array.from({ length: walletCount }, (_, n) => createWallet(n));
    await mintIdentities(chain, wallets);
    const { rpcUrl, deployment, keys, dataDir: folder, close } = chain;
    const agentIds = await readAgentIds(chain, wallets);
    const sessions = createSessions(deployment, wallets, agentIds);
    await bringOnChain(
      chain,
      SLUG,
      sessions.filter(({ isOnChain }) => isOnChain),
    );
    // They are far behind the head, as on a chain that has run for a while.
    await mineIdleBlocks(chain);
    return { rpcUrl, deployment, keys, folder, wallets, sessions, close };
  } catch (error) {
    await chain.close();
    throw error;
  }
}
