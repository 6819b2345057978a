import { type Address, type Hex, keccak256, type PublicClient, stringToHex, zeroAddress } from "viem";
import { agentIdentityAbi, rewardsV2Abi } from "../../../../domain/typed-data/contract-abis.ts";
import type { ContractDomain, RoleHolder } from "../../../ports/chain.ts";
import { verifyContractSignature } from "../contract-wallet.ts";
import type { Rpc } from "../rpc.ts";
import { findRevert } from "../rpc-errors.ts";
import { readEach } from "./multicall.ts";

/** All our contracts that accept signatures have these views, so that one ABI works for all of them. */
const abi = agentIdentityAbi;

const OPERATOR_ROLE = keccak256(stringToHex("OPERATOR_ROLE"));

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

const toRoleView = ({ role, contract: address, account }: RoleHolder) =>
  role === "signer"
    ? ({ address, abi, functionName: "isSigner", args: [account] } as const)
    : ({ address, abi: rewardsV2Abi, functionName: "hasRole", args: [OPERATOR_ROLE, account] } as const);

const hasCode = async (client: PublicClient, address: Address): Promise<boolean> =>
  ((await client.getCode({ address })) ?? "0x") !== "0x";

/** What contracts report about signatures: their domain (ERC-5267), their signers, and ERC-1271. */
export const createSignatureReads = (rpc: Rpc) => ({
  hasCode: (address: Address) => rpc.withDeadline((client) => hasCode(client, address)),

  checkRoles: (holders: readonly RoleHolder[]) =>
    rpc.withDeadline(async (client) => {
      const answers = await readEach(client, holders.map(toRoleView), { blockTag: "latest" });
      return answers.map((answer) => answer === true);
    }),

  getSigners: (contract: Address) =>
    rpc.withDeadline((client) => orIfReverted(readSigners(client, contract), [] as const)),

  getDomain: (contract: Address) =>
    rpc.withDeadline(async (client) =>
      (await hasCode(client, contract)) ? orIfReverted(readDomain(client, contract), null) : null,
    ),

  isValidSignature: (wallet: Address, digest: Hex, signature: Hex) =>
    verifyContractSignature(rpc, wallet, digest, signature),
});
