/** What a contract says about signatures: its domain (ERC-5267) and whose it accepts. */
import type { Address, ContractDomain } from "../../ports.ts";
import { agentIdentityAbi, rewardsV2Abi } from "./abi.ts";
import { findRevert, type Rpc } from "./rpc.ts";

/** Every contract of ours that takes signatures has these views; one ABI serves all. */
const abi = agentIdentityAbi;
const NOBODY = "0x0000000000000000000000000000000000000000";

export const readIsSigner = (rpc: Rpc, contract: Address, account: Address): Promise<boolean> =>
  rpc.guard((client) => client.readContract({ address: contract, abi, functionName: "isSigner", args: [account] }));

/** Null where there is no contract with a domain at the address. */
export async function readDomain(rpc: Rpc, contract: Address): Promise<ContractDomain | null> {
  return rpc.guard(async (client) => {
    if (((await client.getCode({ address: contract })) ?? "0x") === "0x") return null;
    try {
      const [, name, version, chainId, verifyingContract] = await client.readContract({
        address: contract,
        abi,
        functionName: "eip712Domain",
      });
      return { name, version, chainId: Number(chainId), verifyingContract };
    } catch (fault) {
      if (findRevert(fault) !== null) return null;
      throw fault;
    }
  });
}

/** The accounts whose signatures the contract accepts now; empty where it takes none. */
export async function readSigners(rpc: Rpc, contract: Address): Promise<readonly Address[]> {
  return rpc.guard(async (client) => {
    try {
      const common = { address: contract, abi } as const;
      const [[first], [second]] = await Promise.all([
        client.readContract({ ...common, functionName: "signer" }),
        client.readContract({ ...common, functionName: "alternateSigner" }),
      ]);
      const accepted: Address[] = [];
      for (const account of [first, second]) {
        if (account === NOBODY) continue;
        if (await client.readContract({ ...common, functionName: "isSigner", args: [account] })) accepted.push(account);
      }
      return accepted;
    } catch (fault) {
      if (findRevert(fault) !== null) return [];
      throw fault;
    }
  });
}

/** Whether the account may relay payouts. */
export async function readIsOperator(rpc: Rpc, rewards: Address, account: Address): Promise<boolean> {
  return rpc.guard(async (client) => {
    const contract = { address: rewards, abi: rewardsV2Abi } as const;
    const role = await client.readContract({ ...contract, functionName: "OPERATOR_ROLE" });
    return client.readContract({ ...contract, functionName: "hasRole", args: [role, account] });
  });
}
