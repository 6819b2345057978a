/**
 * The market's contract: Seaport 1.6, deployed from its package on a local chain, found at its known address elsewhere.
 */

import type { EIP1193Provider } from "@nomicfoundation/ignition-core";
import type { Hex } from "viem";
import {
  BaseError,
  ContractFunctionRevertedError,
  ContractFunctionZeroDataError,
  encodeDeployData,
  getAddress,
  type PublicClient,
  parseAbi,
} from "viem";
import { SEAPORT_VERSION } from "../domain/seaport.ts";
import { loadSeaportBytecode } from "./artifacts.ts";

const CONSTRUCTOR_ABI = parseAbi(["constructor(address conduitController)"]);
const INFORMATION_ABI = parseAbi([
  "function information() view returns (string version, bytes32 domainSeparator, address conduitController)",
]);

/** Seaport 1.6's address on every public network. */
export const CANONICAL_SEAPORT: Hex = "0x0000000000000068F116a894984e2DB1123eB395";

async function isSeaport(client: PublicClient, address: Hex): Promise<boolean> {
  if (((await client.getCode({ address })) ?? "0x") === "0x") return false;
  const version = await client.readContract({ address, abi: INFORMATION_ABI, functionName: "information" }).then(
    ([found]) => found,
    (error: unknown) => {
      const isContractError = (cause: unknown): boolean =>
        cause instanceof ContractFunctionRevertedError || cause instanceof ContractFunctionZeroDataError;
      if (error instanceof BaseError && error.walk(isContractError) !== null) return null;
      throw error;
    },
  );
  return version === SEAPORT_VERSION;
}

/** The canonical Seaport; null on a chain without it. */
export const findSeaport = async (client: PublicClient): Promise<Hex | null> =>
  (await isSeaport(client, CANONICAL_SEAPORT)) ? CANONICAL_SEAPORT : null;

/**
 * The market of a local chain: `known` if Seaport is still there, otherwise a new one with the conduit controller that
 * its constructor needs. `provider` sends from an account with ether.
 */
export async function ensureSeaport(
  client: PublicClient,
  provider: EIP1193Provider,
  known: Hex | null,
): Promise<{ readonly address: Hex; readonly reused: boolean }> {
  if (known !== null && (await isSeaport(client, known))) return { address: known, reused: true };

  async function create(name: string, data: Hex): Promise<Hex> {
    const hash = (await provider.request({ method: "eth_sendTransaction", params: [{ data }] })) as Hex;
    const receipt = await client.waitForTransactionReceipt({ hash, pollingInterval: 20 });
    if (receipt.status !== "success" || !receipt.contractAddress) throw new Error(`${name} could not be deployed`);
    return getAddress(receipt.contractAddress);
  }

  const controller = await create("ConduitController", await loadSeaportBytecode("LocalConduitController"));
  const bytecode = await loadSeaportBytecode("Seaport");
  const data = encodeDeployData({ abi: CONSTRUCTOR_ABI, bytecode, args: [controller] });
  return { address: await create("Seaport", data), reused: false };
}
