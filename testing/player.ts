import { createPublicClient, createWalletClient, http } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { hardhat } from "viem/chains";
import { type ArcadeClient, type ArcadeWallet, createClient, fromViem, registerAgent } from "../client/index.ts";
import type { TestStack } from "./stack.ts";

export interface Player {
  readonly privateKey: `0x${string}`;
  readonly address: `0x${string}`;
  readonly wallet: ArcadeWallet;
  readonly client: ArcadeClient;
  /** An access token of this wallet. */
  getAccessToken(): Promise<string>;
}

export interface PlayerUrls {
  readonly httpUrl: string;
  readonly rpcUrl: string;
  /** The service's public URL; the same by default. */
  readonly publicUrl?: string;
}

/** A client for an account of the chain. */
export function connectPlayer(
  { httpUrl, rpcUrl, publicUrl = httpUrl }: PlayerUrls,
  privateKey: `0x${string}`,
  nowMs: () => number = Date.now,
): Player {
  const account = privateKeyToAccount(privateKey);
  const transport = http(rpcUrl);
  const publicClient = createPublicClient({ chain: hardhat, transport, pollingInterval: 20 });
  const wallet = fromViem(createWalletClient({ account, chain: hardhat, transport }), publicClient as never);
  const send: typeof fetch = (url, init) => fetch(String(url).replace(publicUrl, httpUrl), init);
  const client = createClient({ baseUrl: publicUrl, wallet, nowMs, ...(publicUrl === httpUrl ? {} : { fetch: send }) });
  return {
    privateKey,
    address: account.address,
    wallet,
    client,
    getAccessToken: async () => {
      const token = await client.signIn.accessToken();
      if (token === null) throw new Error("the client has no wallet to sign in with");
      return token;
    },
  };
}

/** A fresh wallet with ether from the faucet, not registered. */
export async function createPlayer(stack: TestStack): Promise<Player> {
  const player = connectPlayer({ httpUrl: stack.httpUrl, rpcUrl: stack.chain.rpcUrl }, generatePrivateKey());
  const funded = await stack.request("POST", "/api/dev/faucet", { body: { address: player.address } });
  if (funded.status !== 200) throw new Error(`faucet: ${JSON.stringify(funded.body)}`);
  return player;
}

/** A player with an identity. */
export async function createAgent(stack: TestStack, agentName = "Tester"): Promise<Player> {
  const player = await createPlayer(stack);
  await registerAgent({ client: player.client, agentName });
  return player;
}
