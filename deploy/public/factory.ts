/** Deploys CreateX with its presigned transaction on local chains and testnets that lack it. */
import { readFile } from "node:fs/promises";
import { formatGwei, type Hex, keccak256, type PublicClient, parseTransaction } from "viem";
import type { Stage } from "../modules/parameters.ts";
import { CREATE_X, CREATE_X_CODE_HASH } from "./create2.ts";
import { broadcast } from "./rpc.ts";
import { type SenderOptions, sendCall, waitForConfirmations } from "./transactions.ts";

/** The account that signed CreateX's deployment once for all chains. */
const CREATE_X_DEPLOYER = "0xeD456e05CaAb11d66C4c797dD6c1D6f9A7F352b5";
const BALANCE_WEI = 10n ** 18n;
const MANUAL = "https://github.com/pcaversaccio/createx#new-deployments";

/** CreateX's presigned transaction (https://github.com/pcaversaccio/createx#new-deployments). */
export async function readFactoryTransaction(): Promise<Hex> {
  const text = await readFile(new URL("./create-x.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { readonly presignedTransaction: Hex }).presignedTransaction;
}

const isMissing = async (client: PublicClient): Promise<boolean> =>
  (await client.getCode({ address: CREATE_X })) === undefined;

async function readPrice() {
  const { gas = 0n, gasPrice = 0n } = parseTransaction(await readFactoryTransaction());
  return { gasPrice, wei: gas * gasPrice };
}

/** Why the factory can be neither used nor deployed, as a sentence; null if it can. */
export async function findFactoryFault(client: PublicClient, stage: Stage, chainId: number): Promise<string | null> {
  const code = await client.getCode({ address: CREATE_X });
  if (code !== undefined)
    return keccak256(code) === CREATE_X_CODE_HASH
      ? null
      : `CreateX: expected the factory's code, received other code at ${CREATE_X}`;
  if (stage === "local") return null;
  if (stage === "mainnet")
    return `CreateX: the factory ${CREATE_X} is missing on chain ${chainId}; anyone can deploy it with its presigned transaction (${MANUAL})`;
  if ((await client.getTransactionCount({ address: CREATE_X_DEPLOYER })) > 0)
    return `CreateX: its presigned transaction has failed on chain ${chainId}, so it cannot be deployed; use another chain`;
  const { gasPrice } = await readPrice();
  const baseFee = (await client.getBlock()).baseFeePerGas ?? 0n;
  if (baseFee <= gasPrice) return null;
  return `CreateX: its presigned transaction pays ${formatGwei(gasPrice)} gwei for gas, but chain ${chainId} requires ${formatGwei(baseFee)}; wait until fees fall`;
}

/** Wei that the signer of the presigned transaction lacks; zero if the factory exists or costs nothing (locally). */
export async function getFactoryCost(client: PublicClient, stage: Stage): Promise<bigint> {
  if (stage !== "testnet" || !(await isMissing(client))) return 0n;
  const missing = (await readPrice()).wei - (await client.getBalance({ address: CREATE_X_DEPLOYER }));
  return missing > 0n ? missing : 0n;
}

/** Deploys the factory on a local chain or a testnet that lacks it. */
export async function ensureFactory(options: SenderOptions, stage: Stage): Promise<void> {
  const { client, request } = options;
  if (stage === "mainnet" || !(await isMissing(client))) return;
  const raw = await readFactoryTransaction();
  if (stage === "local") {
    const balance = `0x${BALANCE_WEI.toString(16)}`;
    await client.request({ method: "hardhat_setBalance", params: [CREATE_X_DEPLOYER, balance] } as never);
  }
  const value = await getFactoryCost(client, stage);
  if (value > 0n) await sendCall(options, { step: "CreateX.fund", to: CREATE_X_DEPLOYER, data: "0x", value });
  const txHash = keccak256(raw);
  const send = (): Promise<void> =>
    broadcast(request, raw, txHash).catch((cause: Error) => {
      throw new Error(
        `The node rejects CreateX's presigned transaction (${cause.message}): set another node with --rpc, or deploy it yourself (${MANUAL})`,
        { cause },
      );
    });
  await send();
  await waitForConfirmations(options, { step: "CreateX", txHash }, send);
}
