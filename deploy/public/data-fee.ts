import { type Address, type Hex, type PublicClient, parseAbi, serializeTransaction } from "viem";

/**
 * Rollups of the OP stack charge a separate data fee
 * (https://specs.optimism.io/protocol/predeploys.html#gaspriceoracle).
 */
const GAS_PRICE_ORACLE = "0x420000000000000000000000000000000000000F";
const ORACLE_ABI = parseAbi(["function getL1Fee(bytes data) view returns (uint256)"]);

/** The rollup's data fee for these transactions in wei; zero on other chains. */
export async function getDataFee(
  client: PublicClient,
  calls: readonly { readonly to: Address; readonly data: Hex }[],
): Promise<bigint> {
  if ((await client.getCode({ address: GAS_PRICE_ORACLE })) === undefined) return 0n;
  const chainId = await client.getChainId();
  const fees = calls.map(async (call) => {
    const args = [serializeTransaction({ ...call, type: "eip1559", chainId })] as const;
    return await client.readContract({ address: GAS_PRICE_ORACLE, abi: ORACLE_ABI, functionName: "getL1Fee", args });
  });
  return (await Promise.all(fees)).reduce((sum, fee) => sum + fee, 0n);
}
