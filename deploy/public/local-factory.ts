import { readFile } from "node:fs/promises";
import type { Hex, PublicClient } from "viem";
import { CREATE_X } from "./create2.ts";

/** The account that signed CreateX's deployment once for all chains. */
const CREATE_X_DEPLOYER = "0xeD456e05CaAb11d66C4c797dD6c1D6f9A7F352b5";
const BALANCE_WEI = 10n ** 18n;

/** CreateX's presigned transaction (https://github.com/pcaversaccio/createx#new-deployments). */
export async function readFactoryTransaction(): Promise<Hex> {
  const text = await readFile(new URL("./create-x.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { readonly presignedTransaction: Hex }).presignedTransaction;
}

/** Deploys CreateX to a local chain, which begins without it. */
export async function ensureLocalFactory(client: PublicClient): Promise<void> {
  if ((await client.getCode({ address: CREATE_X })) !== undefined) return;
  const balance = `0x${BALANCE_WEI.toString(16)}`;
  await client.request({ method: "hardhat_setBalance", params: [CREATE_X_DEPLOYER, balance] } as never);
  const hash = await client.sendRawTransaction({ serializedTransaction: await readFactoryTransaction() });
  await client.waitForTransactionReceipt({ hash, pollingInterval: 20 });
}
