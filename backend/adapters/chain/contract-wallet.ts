import { encodeFunctionData, parseAbi } from "viem";
import { findRevert, type Rpc } from "./rpc.ts";

type Hex = `0x${string}`;

const DEADLINE_MS = 2_000;
/** A wallet's code is anybody's code: it gets this much gas to think. */
const GAS = 1_000_000n;
/** `bytes4(keccak256("isValidSignature(bytes32,bytes)"))`, the answer that means yes. */
const MAGIC_VALUE = "0x1626ba7e";
const ABI = parseAbi(["function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)"]);

/** ERC-1271: whether the contract at `wallet` accepts the signature. Anything but its clear yes is a no. */
export async function askContractWallet(rpc: Rpc, wallet: Hex, digest: Hex, signature: Hex): Promise<boolean> {
  const data = encodeFunctionData({ abi: ABI, functionName: "isValidSignature", args: [digest, signature] });
  try {
    const answer = await rpc.guard((client) => client.call({ to: wallet, data, gas: GAS }), {
      deadlineMs: DEADLINE_MS,
    });
    return answer.data?.length === 66 && answer.data.startsWith(MAGIC_VALUE);
  } catch (error) {
    if (findRevert(error) !== null) return false;
    throw error;
  }
}
