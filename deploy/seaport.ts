/** The market's contract: Seaport 1.6, deployed from its package on a local chain, found at its address elsewhere. */
import type { EIP1193Provider } from "@nomicfoundation/ignition-core";
import { CROSS_CHAIN_SEAPORT_V1_6_ADDRESS, SEAPORT_CONTRACT_VERSION_V1_6 } from "@opensea/seaport-js/lib/constants.js";
import { LocalConduitController__factory } from "@opensea/seaport-js/lib/typechain-types/factories/seaport/contracts/conduit/ConduitController.sol/LocalConduitController__factory.js";
import { Seaport__factory } from "@opensea/seaport-js/lib/typechain-types/factories/seaport/contracts/Seaport__factory.js";
import {
  BaseError,
  ContractFunctionRevertedError,
  ContractFunctionZeroDataError,
  encodeDeployData,
  getAddress,
  type PublicClient,
  parseAbi,
} from "viem";

type Hex = `0x${string}`;

const CONSTRUCTOR = parseAbi(["constructor(address conduitController)"]);
const INFORMATION = parseAbi([
  "function information() view returns (string version, bytes32 domainSeparator, address conduitController)",
]);

/** Where Seaport 1.6 stands on every public network. */
export const CANONICAL_SEAPORT: Hex = getAddress(CROSS_CHAIN_SEAPORT_V1_6_ADDRESS);

async function isSeaport(client: PublicClient, address: Hex): Promise<boolean> {
  if (((await client.getCode({ address })) ?? "0x") === "0x") return false;
  const version = await client.readContract({ address, abi: INFORMATION, functionName: "information" }).then(
    ([found]) => found,
    (error: unknown) => {
      const isAnswer = (cause: unknown): boolean =>
        cause instanceof ContractFunctionRevertedError || cause instanceof ContractFunctionZeroDataError;
      if (error instanceof BaseError && error.walk(isAnswer) !== null) return null;
      throw error;
    },
  );
  return version === SEAPORT_CONTRACT_VERSION_V1_6;
}

/** The canonical Seaport, null on a chain that has none. */
export const findSeaport = async (client: PublicClient): Promise<Hex | null> =>
  (await isSeaport(client, CANONICAL_SEAPORT)) ? CANONICAL_SEAPORT : null;

/**
 * The market of a local chain: `known` where Seaport stands there still, else one that is deployed now, together with
 * the conduit controller that its constructor asks for. `provider` sends from an account with gas.
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

  const controller = await create("ConduitController", LocalConduitController__factory.bytecode as Hex);
  const bytecode = Seaport__factory.bytecode as Hex;
  const data = encodeDeployData({ abi: CONSTRUCTOR, bytecode, args: [controller] });
  return { address: await create("Seaport", data), reused: false };
}
