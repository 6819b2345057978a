import { encodeFunctionData, parseAbi } from "viem";
import { findRevert, findRpcError, type GuardOptions, type Rpc, unavailable } from "./rpc.ts";

type Hex = `0x${string}`;

/** A wallet's code is anybody's code: it gets this much time, and this much gas to think. */
const OPTIONS: GuardOptions = { deadlineMs: 2_000, answers: "errors", isStrange: true };
const GAS = 500_000n;
/** `bytes4(keccak256("isValidSignature(bytes32,bytes)"))`, the answer that means yes. */
const MAGIC_VALUE = "0x1626ba7e";
const ABI = parseAbi(["function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)"]);
/** JSON-RPC codes by which a node speaks of itself and not of the call (EIP-1474). */
const NODE_FAULTS = [-32_603, -32_005, -32_002];

/** What a call that runs a wallet's code answers; null where that code reverts or fails in a way of its own. */
export async function askStranger(rpc: Rpc, call: { readonly to: Hex; readonly data: Hex }): Promise<Hex | null> {
  try {
    return (await rpc.guard((client) => client.call({ ...call, gas: GAS }), OPTIONS)).data ?? null;
  } catch (error) {
    if (findRevert(error) !== null) return null;
    const answer = findRpcError(error);
    // Out of gas, an invalid opcode: the wallet's own doing.
    if (answer !== null && !NODE_FAULTS.includes(answer.code)) return null;
    if (answer !== null) throw unavailable(`JSON-RPC error ${answer.code}`);
    throw error;
  }
}

/** ERC-1271: whether the contract at `wallet` accepts the signature. Anything but its clear yes is a no. */
export async function askContractWallet(rpc: Rpc, wallet: Hex, digest: Hex, signature: Hex): Promise<boolean> {
  const data = encodeFunctionData({ abi: ABI, functionName: "isValidSignature", args: [digest, signature] });
  const answer = await askStranger(rpc, { to: wallet, data });
  return answer?.length === 66 && answer.startsWith(MAGIC_VALUE);
}
