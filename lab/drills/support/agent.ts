/** An agent that outlives its server: a wallet with a client for the current address of the server. */
import { createPublicClient, createWalletClient, http } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { hardhat } from "viem/chains";
import { type ArcadeClient, createClient, fromViem } from "../../../client/index.ts";
import type { Ready } from "./process.ts";

export interface DrillAgent {
  readonly address: `0x${string}`;
  readonly privateKey: `0x${string}`;
  /** A client of the server at this address, with the previous client's sign-in. */
  connect(ready: Pick<Ready, "httpUrl" | "rpcUrl">): ArcadeClient;
}

export function makeDrillAgent(): DrillAgent {
  const privateKey = generatePrivateKey();
  const account = privateKeyToAccount(privateKey);
  let last: ArcadeClient | null = null;
  return {
    address: account.address,
    privateKey,
    connect({ httpUrl, rpcUrl }) {
      const transport = http(rpcUrl);
      const publicClient = createPublicClient({ chain: hardhat, transport, pollingInterval: 20 });
      const wallet = fromViem(createWalletClient({ account, chain: hardhat, transport }), publicClient as never);
      const client = createClient({ baseUrl: httpUrl, wallet });
      const credentials = last?.signIn.credentials() ?? null;
      if (credentials !== null) client.signIn.restore(credentials);
      last = client;
      return client;
    },
  };
}

/** Gas from the development faucet. */
export async function fund(ready: Pick<Ready, "httpUrl">, address: string): Promise<void> {
  const response = await fetch(`${ready.httpUrl}/api/dev/faucet`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ address }),
  });
  if (!response.ok) throw new Error(`faucet: ${await response.text()}`);
}
