import type { Hex } from "viem";
import {
  encodeDeployData,
  encodeFunctionData,
  erc6492SignatureValidatorAbi,
  erc6492SignatureValidatorByteCode,
  parseAbi,
  type RpcRequestError,
} from "viem";
import { isErc6492Signature } from "../../../domain/signature-form.ts";
import type { Rpc, RpcCallOptions } from "./rpc.ts";
import { findRevert, findRpcError, toUnavailable } from "./rpc-errors.ts";

/** A wallet's code is foreign code: its time and its gas are limited. */
const UNTRUSTED_CALL_OPTIONS: RpcCallOptions = { deadlineMs: 2_000, passThrough: "errors", isUntrusted: true };
const GAS_LIMIT = 500_000n;
/** A factory deploys the wallet first. */
const DEPLOYMENT_GAS_LIMIT = 5_000_000n;
/** `bytes4(keccak256("isValidSignature(bytes32,bytes)"))`, the value that means valid. */
const MAGIC_VALUE = "0x1626ba7e";
const ERC1271_ABI = parseAbi(["function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)"]);
/** Nethermind's JSON-RPC code for an error in the called code. */
const VM_ERROR_CODE = -32_015;
/** The texts of other nodes, which use one code for both reverts and node failures. */
const VM_ERROR =
  /out ?of ?gas|opcode|invalid ?jump|stack ?(?:under|over)flow|stack limit|write protection|out ?of ?bounds|gas uint64 overflow|vm (?:execution|exception)|evm error/i;

const isVmError = ({ code, details }: RpcRequestError): boolean => code === VM_ERROR_CODE || VM_ERROR.test(details);

/**
 * The result of a call that runs a wallet's code; null when that code reverts or fails. Ignores errors about the
 * node itself (rate limits, pruned state): they must not fail a sign-in or a link.
 */
export async function callUntrusted(
  rpc: Rpc,
  call: { readonly to?: Hex; readonly data: Hex },
  gas = GAS_LIMIT,
): Promise<Hex | null> {
  try {
    return (await rpc.withDeadline((client) => client.call({ ...call, gas }), UNTRUSTED_CALL_OPTIONS)).data ?? null;
  } catch (error) {
    if (findRevert(error) !== null) return null;
    const rpcError = findRpcError(error);
    if (rpcError !== null && isVmError(rpcError)) return null;
    throw toUnavailable(error);
  }
}

/** ERC-1271: whether the contract at `wallet` accepts the signature. Any result except the magic value means no. */
async function verifyErc1271(rpc: Rpc, wallet: Hex, digest: Hex, signature: Hex): Promise<boolean> {
  const data = encodeFunctionData({ abi: ERC1271_ABI, functionName: "isValidSignature", args: [digest, signature] });
  const result = await callUntrusted(rpc, { to: wallet, data });
  return result?.length === 66 && result.startsWith(MAGIC_VALUE);
}

/** ERC-6492: whether the wallet accepts the signature once the signature's factory call has deployed it. */
async function verifyErc6492(rpc: Rpc, wallet: Hex, digest: Hex, signature: Hex): Promise<boolean> {
  const data = encodeDeployData({
    abi: erc6492SignatureValidatorAbi,
    bytecode: erc6492SignatureValidatorByteCode,
    args: [wallet, digest, signature],
  });
  return (await callUntrusted(rpc, { data }, DEPLOYMENT_GAS_LIMIT)) === "0x01";
}

/** Whether a contract wallet accepts the signature, deployed or not. */
export const verifyContractSignature = (rpc: Rpc, wallet: Hex, digest: Hex, signature: Hex): Promise<boolean> =>
  isErc6492Signature(signature)
    ? verifyErc6492(rpc, wallet, digest, signature)
    : verifyErc1271(rpc, wallet, digest, signature);
