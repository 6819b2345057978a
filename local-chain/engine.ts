import { createHardhatRuntimeEnvironment } from "hardhat/hre";
import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";
import type { EthereumProvider } from "hardhat/types/providers";
import type { Hex } from "viem";
import { keccak256, toHex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { LOCAL_CHAIN_ID } from "../domain/chain-ids.ts";

export type Provider = Pick<EthereumProvider, "request" | "on" | "close">;

/** Wei that each genesis account gets: 10,000 ether. */
const GENESIS_BALANCE_WEI = 10_000n * 10n ** 18n;

/** The development faucet, an account of this chain only. Its key is public because the chain has no value. */
const FAUCET_KEY = keccak256(toHex("the faucet of the local chain"));
export const FAUCET = privateKeyToAccount(FAUCET_KEY);
const FAUCET_BALANCE_WEI = 10n ** 9n * 10n ** 18n;

let environment: Promise<HardhatRuntimeEnvironment> | undefined;

/**
 * Starts one bare EVM engine (EDR, through Hardhat) without mining anything. The same arguments give the same block 0,
 * and the same blocks after it: EDR draws its "random" header fields from a fixed seed.
 * @param genesisAt Unix seconds of block 0.
 * @param privateKeys Accounts that are funded and unlocked for `eth_sendTransaction`.
 */
export async function startEngine(genesisAt: number, privateKeys: readonly Hex[]): Promise<Provider> {
  // No artifacts: decoding them costs memory for stack traces that no JSON-RPC client gets.
  const unusedFolder = "node_modules/.cache/local-chain";
  environment ??= createHardhatRuntimeEnvironment(
    {
      paths: { artifacts: unusedFolder, cache: unusedFolder },
      networks: { local: { type: "edr-simulated", chainType: "l1", chainId: LOCAL_CHAIN_ID } },
    },
    {},
    import.meta.dirname,
  );
  const { network } = await environment;
  const { provider } = await network.create({
    network: "local",
    chainType: "l1",
    override: {
      initialDate: new Date(genesisAt * 1_000),
      accounts: [
        ...privateKeys.map((privateKey) => ({ privateKey, balance: GENESIS_BALANCE_WEI })),
        { privateKey: FAUCET_KEY, balance: FAUCET_BALANCE_WEI },
      ],
      // Otherwise bursts of transactions push the chain's clock a second per block into the future.
      allowBlocksWithSameTimestamp: true,
      mining: { auto: true, interval: 0, mempool: { order: "fifo" } },
      // A public node returns the hash of a transaction that will revert; do the same.
      throwOnTransactionFailures: false,
    },
  });
  return provider;
}
