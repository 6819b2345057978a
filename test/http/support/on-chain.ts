/** Actions of wallets on chain without the service. */
import {
  type Abi,
  createPublicClient,
  createWalletClient,
  encodeFunctionData,
  type Hex,
  http,
  keccak256,
  parseAbi,
} from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { hardhat } from "viem/chains";
import { developmentServiceAccount } from "../../../backend/config/dev-keys.ts";
import type { Call } from "../../../client/index.ts";
import { toGameId } from "../../../domain/replay/replay.ts";
import { createCall } from "../../../domain/typed-data/calls.ts";
import { createTypedData } from "../../../domain/typed-data/messages.ts";
import type { Player } from "../../../testing/player.ts";
import type { TestStack } from "../../helpers/suite.ts";

const ABI = parseAbi([
  "function transferFrom(address from, address to, uint256 tokenId)",
  "function pause()",
  "function cancelSessions((address wallet, bytes32 gameSessionHash)[] list)",
  "function unpause()",
  "function setMaxScorePerSession(uint256 newMax)",
  "function voidPoints((address wallet, uint256 points)[] list)",
  "function restorePoints((address wallet, uint256 points)[] list)",
  "function getScorebank(address wallet) view returns (uint256)",
  "function isSessionConsumed(address wallet, bytes32 gameSessionHash) view returns (bool)",
  "function balanceOf(address wallet) view returns (uint256)",
]);

/** Sends a prepared call and waits for its block. */
export async function sendCall(player: Player, call: Pick<Call, "to" | "data">): Promise<Hex> {
  const { to, data } = call;
  const { txHash } = await player.wallet.sendCall({ chainId: 31337, value: "0", to, data } as Call);
  await player.wallet.waitForReceipt(txHash);
  return txHash;
}

/** Gives an ERC-721 token away. */
export const transferToken = (player: Player, contract: Hex, to: Hex, tokenId: string): Promise<Hex> =>
  sendCall(player, {
    to: contract,
    data: encodeFunctionData({
      abi: ABI,
      functionName: "transferFrom",
      args: [player.address, to, BigInt(tokenId)],
    }),
  });

/** Signs and sends with a fixed gas limit, so that a reverting call is mined too. */
export async function sendWithFixedGas(
  stack: TestStack,
  privateKey: Hex,
  { to, data }: Pick<Call, "to" | "data">,
): Promise<Hex> {
  const account = privateKeyToAccount(privateKey);
  const transport = http(stack.chain.rpcUrl);
  const client = createPublicClient({ chain: hardhat, transport, cacheTime: 0 });
  const wallet = createWalletClient({ account, chain: hardhat, transport });
  const request = await wallet.prepareTransactionRequest({ to, data, gas: 1_000_000n });
  const raw = await wallet.signTransaction(request as never);
  const txHash = keccak256(raw);
  // A development chain reports a mined call's revert as a failure of the send.
  await client.sendRawTransaction({ serializedTransaction: raw }).catch(() => undefined);
  await client.waitForTransactionReceipt({ hash: txHash, pollingInterval: 20, timeout: 10_000 });
  return txHash;
}

/** The guardian pauses the rewards contract; the admin resumes it. */
export const setPaused = (stack: TestStack, paused: boolean): Promise<Hex> =>
  sendWithFixedGas(stack, developmentServiceAccount(paused ? 1 : 0).privateKey, {
    to: stack.deployment.rewards,
    data: encodeFunctionData({ abi: ABI, functionName: paused ? "pause" : "unpause" }),
  });

/** The guardian consumes a session's number, so that its score never counts. */
export const cancelSessionOnChain = (stack: TestStack, wallet: Hex, gameSessionHash: Hex): Promise<Hex> =>
  sendWithFixedGas(stack, developmentServiceAccount(1).privateKey, {
    to: stack.deployment.rewards,
    data: encodeFunctionData({ abi: ABI, functionName: "cancelSessions", args: [[{ wallet, gameSessionHash }]] }),
  });

type PointsCall = "voidPoints" | "restorePoints";
/** The guardian voids points of a wallet, or the admin restores them. */
export const movePoints = (stack: TestStack, functionName: PointsCall, wallet: Hex, points: bigint): Promise<Hex> =>
  sendWithFixedGas(stack, developmentServiceAccount(functionName === "voidPoints" ? 1 : 0).privateKey, {
    to: stack.deployment.rewards,
    data: encodeFunctionData({ abi: ABI, functionName, args: [[{ wallet, points }]] }),
  });

/** A snapshot that the service never signed, as made by a thief of its score key. */
export async function forgeSnapshot(stack: TestStack, wallet: Hex, sequence: bigint, score: bigint): Promise<Hex> {
  const { chainId, rewards } = stack.deployment;
  const { timestamp } = await createPublicClient({ transport: http(stack.chain.rpcUrl) }).getBlock();
  const gameSessionHash: Hex = `0x${"ee".repeat(24)}${sequence.toString(16).padStart(16, "0")}`;
  const gameId = toGameId("shellrunners");
  const message = { wallet, gameId, score: String(score), gameSessionHash, deadline: String(timestamp + 600n) };
  const data = createTypedData("Snapshot", { chainId, verifyingContract: rewards }, message);
  const signature = await privateKeyToAccount(developmentServiceAccount(4).privateKey).signTypedData(data as never);
  const args = [wallet, gameId, message.score, gameSessionHash, message.deadline, signature];
  const call = createCall(chainId, rewards, "snapshotScoreSigned", args);
  return sendWithFixedGas(stack, stack.accounts[3]!.privateKey, call);
}

/** The admin sets the maximum that one session adds to a scorebank. */
export const setMaxScore = (stack: TestStack, points: bigint): Promise<Hex> =>
  sendWithFixedGas(stack, developmentServiceAccount(0).privateKey, {
    to: stack.deployment.rewards,
    data: encodeFunctionData({ abi: ABI, functionName: "setMaxScorePerSession", args: [points] }),
  });

export const increaseChainTime = async (stack: TestStack, seconds: number): Promise<void> => {
  await stack.chain.request("evm_increaseTime", [seconds]);
  await stack.chain.request("evm_mine", []);
};

/** The state in the contracts. */
export function createContractReader(stack: TestStack) {
  const client = createPublicClient({ chain: hardhat, transport: http(stack.chain.rpcUrl), cacheTime: 0 });
  const read = (address: Hex, functionName: string, args: readonly unknown[]) =>
    client.readContract({ address, abi: ABI as Abi, functionName, args });
  const { rewards, token } = stack.deployment;
  return {
    getScorebank: (wallet: Hex) => read(rewards, "getScorebank", [wallet]) as Promise<bigint>,
    isConsumed: (wallet: Hex, hash: Hex) => read(rewards, "isSessionConsumed", [wallet, hash]) as Promise<boolean>,
    getTokenBalance: (wallet: Hex) => read(token, "balanceOf", [wallet]) as Promise<bigint>,
  };
}
