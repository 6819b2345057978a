/** OpenZeppelin's timelock on the stand-in chain, compiled as in its package. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import {
  type Abi,
  type Address,
  encodeFunctionData,
  getAddress,
  type Hex,
  type PrivateKeyAccount,
  zeroAddress,
  zeroHash,
} from "viem";
import type { AnvilNode } from "./testnet.ts";

const TIMELOCK_SECONDS = 2 * 86_400;

const artifact = fileURLToPath(import.meta.resolve("@openzeppelin/contracts/build/contracts/TimelockController.json"));

/** `proposer` schedules, anybody executes after two days. */
export async function deployTimelock(chain: AnvilNode, proposer: PrivateKeyAccount) {
  const { abi, bytecode } = JSON.parse(readFileSync(artifact, "utf8")) as { abi: Abi; bytecode: Hex };
  const waitUntilMined = async (hash: Hex) => {
    const receipt = await chain.client.waitForTransactionReceipt({ hash });
    if (receipt.status !== "success") throw new Error(`the timelock's transaction ${hash} was reverted`);
    return receipt;
  };
  const args = [BigInt(TIMELOCK_SECONDS), [proposer.address], [zeroAddress], zeroAddress];
  const created = await waitUntilMined(
    await chain.client.deployContract({ account: proposer, abi, bytecode, args } as never),
  );
  const address = getAddress(created.contractAddress!);
  const send = async (functionName: string, args: readonly unknown[]): Promise<void> => {
    const call = { account: proposer, address, abi, functionName, args };
    await waitUntilMined(await chain.client.writeContract(call as never));
  };
  let count = 0;
  return {
    address,
    /** Schedules a call, checks that no account can execute it yet, lets the delay pass, and executes it. */
    execute: async (
      to: Address,
      callAbi: Abi,
      functionName: string,
      callArgs: readonly unknown[] = [],
    ): Promise<void> => {
      const data = encodeFunctionData({ abi: callAbi, functionName, args: callArgs });
      const call = [to, 0n, data, zeroHash, `0x${(++count).toString(16).padStart(64, "0")}`] as const;
      await send("schedule", [...call, BigInt(TIMELOCK_SECONDS)]);
      const early = await send("execute", call).then(
        () => true,
        () => false,
      );
      if (early) throw new Error(`${functionName} was executed before its time`);
      await chain.client.increaseTime({ seconds: TIMELOCK_SECONDS });
      await chain.client.mine({ blocks: 1 });
      await send("execute", call);
    },
  };
}
