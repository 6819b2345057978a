import type { Hex } from "viem";
import { encodeFunctionData, parseAbi } from "viem";
import type { Rpc, RpcCallOptions } from "./rpc.ts";
import { findRevert, findRpcError, toUnavailable } from "./rpc-errors.ts";

/** A wallet's code is foreign code: its time and its gas are limited. */
const UNTRUSTED_CALL_OPTIONS: RpcCallOptions = { deadlineMs: 2_000, passThrough: "errors", isUntrusted: true };
const GAS_LIMIT = 500_000n;
/** `bytes4(keccak256("isValidSignature(bytes32,bytes)"))`, the value that means valid. */
const MAGIC_VALUE = "0x1626ba7e";
const ERC1271_ABI = parseAbi(["function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)"]);
/** JSON-RPC codes of errors of the node, not of the call (EIP-1474). */
const NODE_ERROR_CODES = [-32_603, -32_005, -32_002];

/** The result of a call that runs a wallet's code; null when that code reverts or fails. */
export async function callUntrusted(rpc: Rpc, call: { readonly to: Hex; readonly data: Hex }): Promise<Hex | null> {
  try {
    return (
      (await rpc.withDeadline((client) => client.call({ ...call, gas: GAS_LIMIT }), UNTRUSTED_CALL_OPTIONS)).data ??
      null
    );
  } catch (error) {
    if (findRevert(error) !== null) return null;
    const rpcError = findRpcError(error);
    // Out of gas or an invalid opcode: an error of the wallet's code.
    if (rpcError !== null && !NODE_ERROR_CODES.includes(rpcError.code)) return null;
    throw toUnavailable(error);
  }
}

/** ERC-1271: whether the contract at `wallet` accepts the signature. Any other result than the magic value means no. */
export async function verifyErc1271(rpc: Rpc, wallet: Hex, digest: Hex, signature: Hex): Promise<boolean> {
  const data = encodeFunctionData({ abi: ERC1271_ABI, functionName: "isValidSignature", args: [digest, signature] });
  const result = await callUntrusted(rpc, { to: wallet, data });
  return result?.length === 66 && result.startsWith(MAGIC_VALUE);
}
