import { type Address, type Hex, type PublicClient, zeroAddress } from "viem";
import { agentIdentityAbi, rewardsV2Abi } from "../../../../domain/typed-data/contract-abis.ts";
import type { ContractDomain } from "../../../ports/chain.ts";
import { verifyContractSignature } from "../contract-wallet.ts";
import type { Rpc } from "../rpc.ts";
import { findRevert } from "../rpc-errors.ts";

/** All our contracts that accept signatures have these views, so that one ABI works for all of them. */
const abi = agentIdentityAbi;

async function orIfReverted<T, Other>(reading: Promise<T>, other: Other): Promise<T | Other> {
  try {
    return await reading;
  } catch (error) {
    if (findRevert(error) !== null) return other;
    throw error;
  }
}

async function readSigners(client: PublicClient, address: Address): Promise<readonly Address[]> {
  const [[first], [second]] = await Promise.all([
    client.readContract({ address, abi, functionName: "signer" }),
    client.readContract({ address, abi, functionName: "alternateSigner" }),
  ]);
  const signers: Address[] = [];
  for (const account of [first, second]) {
    if (account === zeroAddress) continue;
    if (await client.readContract({ address, abi, functionName: "isSigner", args: [account] })) signers.push(account);
  }
  return signers;
}

async function readDomain(client: PublicClient, address: Address): Promise<ContractDomain> {
  const call = { address, abi, functionName: "eip712Domain" } as const;
  const [, name, version, chainId, verifyingContract] = await client.readContract(call);
  return { name, version, chainId: Number(chainId), verifyingContract };
}

const hasCode = async (client: PublicClient, address: Address): Promise<boolean> =>
  ((await client.getCode({ address })) ?? "0x") !== "0x";

/** What contracts report about signatures: their domain (ERC-5267), their signers, and ERC-1271. */
export const createSignatureReads = (rpc: Rpc) => ({
  hasCode: (address: Address) => rpc.withDeadline((client) => hasCode(client, address)),

  isSigner: (address: Address, account: Address) =>
    rpc.withDeadline((client) => client.readContract({ address, abi, functionName: "isSigner", args: [account] })),

  isPaused: (address: Address) =>
    rpc.withDeadline((client) => client.readContract({ address, abi: rewardsV2Abi, functionName: "paused" })),

  getSigners: (contract: Address) =>
    rpc.withDeadline((client) => orIfReverted(readSigners(client, contract), [] as const)),

  getDomain: (contract: Address) =>
    rpc.withDeadline(async (client) =>
      (await hasCode(client, contract)) ? orIfReverted(readDomain(client, contract), null) : null,
    ),

  isValidSignature: (wallet: Address, digest: Hex, signature: Hex) =>
    verifyContractSignature(rpc, wallet, digest, signature),
});
