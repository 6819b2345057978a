import { type Address, type Hex, zeroAddress } from "viem";
import type { ContractDomain } from "../../../ports/chain.ts";
import { agentIdentityAbi } from "../abi.ts";
import { verifyErc1271 } from "../contract-wallet.ts";
import type { Rpc } from "../rpc.ts";
import { findRevert } from "../rpc-errors.ts";
import { findView, readView } from "./views.ts";

/** Every contract of ours that takes signatures has these views; one ABI is enough for all of them. */
const abi = agentIdentityAbi;
const IS_SIGNER = findView(abi, "isSigner");

/** What contracts say about signatures: their domain (ERC-5267), their signers, and ERC-1271. */
export class SignatureReader {
  readonly #rpc: Rpc;

  constructor(rpc: Rpc) {
    this.#rpc = rpc;
  }

  hasCode(address: Address): Promise<boolean> {
    return this.#rpc.withDeadline(async (client) => ((await client.getCode({ address })) ?? "0x") !== "0x");
  }

  isSigner(contract: Address, account: Address): Promise<boolean> {
    const view = { address: contract, view: IS_SIGNER, args: [account] };
    return this.#rpc.withDeadline((client) => readView(client, view) as Promise<boolean>);
  }

  getSigners(contract: Address): Promise<readonly Address[]> {
    return this.#rpc.withDeadline(async (client) => {
      try {
        const common = { address: contract, abi } as const;
        const [[first], [second]] = await Promise.all([
          client.readContract({ ...common, functionName: "signer" }),
          client.readContract({ ...common, functionName: "alternateSigner" }),
        ]);
        const signers: Address[] = [];
        for (const account of [first, second]) {
          if (account === zeroAddress) continue;
          if (await client.readContract({ ...common, functionName: "isSigner", args: [account] }))
            signers.push(account);
        }
        return signers;
      } catch (error) {
        if (findRevert(error) !== null) return [];
        throw error;
      }
    });
  }

  getDomain(contract: Address): Promise<ContractDomain | null> {
    return this.#rpc.withDeadline(async (client) => {
      if (((await client.getCode({ address: contract })) ?? "0x") === "0x") return null;
      try {
        const call = { address: contract, abi, functionName: "eip712Domain" } as const;
        const [, name, version, chainId, verifyingContract] = await client.readContract(call);
        return { name, version, chainId: Number(chainId), verifyingContract };
      } catch (error) {
        if (findRevert(error) !== null) return null;
        throw error;
      }
    });
  }

  isValidSignature(wallet: Address, digest: Hex, signature: Hex): Promise<boolean> {
    return verifyErc1271(this.#rpc, wallet, digest, signature);
  }
}
