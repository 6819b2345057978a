/** A Safe on the testnet, compiled as in its package. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import {
  type Abi,
  type Address,
  concat,
  encodeFunctionData,
  type Hex,
  type PrivateKeyAccount,
  pad,
  zeroAddress,
} from "viem";
import type { AnvilNode } from "./testnet.ts";

interface SafeArtifact {
  readonly abi: Abi;
  readonly bytecode: Hex;
}

const readArtifact = (path: string): SafeArtifact =>
  JSON.parse(
    readFileSync(
      fileURLToPath(import.meta.resolve(`@safe-global/safe-smart-account/build/artifacts/contracts/${path}.json`)),
      "utf8",
    ),
  );

/** A Safe of one owner, which sends its transactions itself. */
export async function deploySafe({ client }: AnvilNode, owner: PrivateKeyAccount) {
  const [singleton, factory] = [
    readArtifact("Safe.sol/Safe"),
    readArtifact("proxies/SafeProxyFactory.sol/SafeProxyFactory"),
  ];
  const deploy = async ({ abi, bytecode }: SafeArtifact): Promise<Address> => {
    const hash = await client.deployContract({ account: owner, abi, bytecode, args: [] } as never);
    return (await client.waitForTransactionReceipt({ hash })).contractAddress!;
  };
  const [singletonAddress, factoryAddress] = [await deploy(singleton), await deploy(factory)];
  const setup = [[owner.address], 1n, zeroAddress, "0x", zeroAddress, zeroAddress, 0n, zeroAddress];
  const initializer = encodeFunctionData({ abi: singleton.abi, functionName: "setup", args: setup });
  const call = {
    account: owner,
    address: factoryAddress,
    abi: factory.abi,
    functionName: "createProxyWithNonce",
    args: [singletonAddress, initializer, 1n],
  };
  const { result } = await client.simulateContract(call as never);
  await client.waitForTransactionReceipt({ hash: await client.writeContract(call as never) });
  const address = result as unknown as Address;
  return {
    address,
    /** Makes one call. Sending it as the owner counts as the signature (`v` = 1). */
    execute: async ({ to, data }: { readonly to: Address; readonly data: Hex }): Promise<void> => {
      const signature = concat([pad(owner.address, { size: 32 }), pad("0x", { size: 32 }), "0x01"]);
      const args = [to, 0n, data, 0, 0n, 0n, 0n, zeroAddress, zeroAddress, signature];
      const execution = { account: owner, address, abi: singleton.abi, functionName: "execTransaction", args };
      const hash = await client.writeContract(execution as never);
      const receipt = await client.waitForTransactionReceipt({ hash });
      if (receipt.status !== "success") throw new Error(`the Safe's transaction ${hash} was reverted`);
    },
  };
}
