/** Safes (contract wallets) on the local chain, compiled as in their package. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import {
  type Abi,
  type Address,
  concat,
  createWalletClient,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  hashMessage,
  http,
  pad,
  parseAbiParameters,
  publicActions,
  zeroAddress,
} from "viem";
import type { PrivateKeyAccount } from "viem/accounts";
import { hardhat } from "viem/chains";

const readArtifact = (path: string): { readonly abi: Abi; readonly bytecode: Hex } => {
  const name = `@safe-global/safe-smart-account/build/artifacts/contracts/${path}.json`;
  return JSON.parse(readFileSync(fileURLToPath(import.meta.resolve(name)), "utf8"));
};

const SAFE_MESSAGE = { SafeMessage: [{ name: "message", type: "bytes" }] } as const;
const DELEGATE_CALL = 1;

/** A Safe of one owner that accepts messages (ERC-1271), and one that is not deployed yet (ERC-6492). */
export async function createSafes(rpcUrl: string, owner: PrivateKeyAccount) {
  const client = createWalletClient({
    account: owner,
    chain: hardhat,
    transport: http(rpcUrl),
    pollingInterval: 20,
  }).extend(publicActions);
  const deploy = async (path: string) => {
    const { abi, bytecode } = readArtifact(path);
    const hash = await client.deployContract({ abi, bytecode });
    return { abi, address: (await client.waitForTransactionReceipt({ hash })).contractAddress! };
  };
  const singleton = await deploy("Safe.sol/Safe");
  const factory = await deploy("proxies/SafeProxyFactory.sol/SafeProxyFactory");
  const handler = await deploy("handler/CompatibilityFallbackHandler.sol/CompatibilityFallbackHandler");
  const signMessageLib = await deploy("libraries/SignMessageLib.sol/SignMessageLib");
  const setup = [[owner.address], 1n, zeroAddress, "0x", handler.address, zeroAddress, 0n, zeroAddress];
  const initializer = encodeFunctionData({ abi: singleton.abi, functionName: "setup", args: setup });
  const toCreation = (salt: bigint) => {
    const args = [singleton.address, initializer, salt];
    return { address: factory.address, abi: factory.abi, functionName: "createProxyWithNonce", args };
  };
  const predict = async (salt: bigint) =>
    (await client.simulateContract(toCreation(salt))).result as unknown as Address;
  const [deployed, undeployed] = [await predict(1n), await predict(2n)];
  await client.waitForTransactionReceipt({ hash: await client.writeContract(toCreation(1n)) });

  const signAs = (safe: Address, digest: Hex): Promise<Hex> =>
    owner.signTypedData({
      domain: { chainId: hardhat.id, verifyingContract: safe },
      types: SAFE_MESSAGE,
      primaryType: "SafeMessage",
      message: { message: digest },
    });
  return {
    deployed,
    undeployed,
    sign: (message: string) => signAs(deployed, hashMessage(message)),
    signTypedDigest: (digest: Hex) => signAs(deployed, digest),
    /** The owners approve the message on chain, so its signature is empty. */
    async approve(message: string): Promise<Hex> {
      const data = encodeFunctionData({
        abi: signMessageLib.abi,
        functionName: "signMessage",
        args: [encodeAbiParameters(parseAbiParameters("bytes32"), [hashMessage(message)])],
      });
      const senderIsOwner = concat([pad(owner.address, { size: 32 }), pad("0x", { size: 32 }), "0x01"]);
      const args = [
        signMessageLib.address,
        0n,
        data,
        DELEGATE_CALL,
        0n,
        0n,
        0n,
        zeroAddress,
        zeroAddress,
        senderIsOwner,
      ];
      const call = { address: deployed, abi: singleton.abi, functionName: "execTransaction", args };
      await client.waitForTransactionReceipt({ hash: await client.writeContract(call) });
      return "0x";
    },
    /** With the call of the factory that deploys the wallet (ERC-6492). */
    async signUndeployed(message: string, salt = 2n): Promise<Hex> {
      const { args } = toCreation(salt);
      const data = encodeFunctionData({ abi: factory.abi, functionName: "createProxyWithNonce", args });
      const signature = await signAs(undeployed, hashMessage(message));
      const parts = parseAbiParameters("address, bytes, bytes");
      return concat([encodeAbiParameters(parts, [factory.address, data, signature]), `0x${"6492".repeat(16)}`]);
    },
  };
}
