import { createPublicClient, createWalletClient, http } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { hardhat } from "viem/chains";
import { type ArcadeClient, type ArcadeWallet, createClient, fromViem, registerAgent } from "../../client/index.ts";
import type { TestStack } from "./suite.ts";

export interface Player {
  readonly privateKey: `0x${string}`;
  readonly address: `0x${string}`;
  readonly wallet: ArcadeWallet;
  readonly client: ArcadeClient;
  /** An access token of this wallet. */
  getAccessToken(): Promise<string>;
}

/** A fresh wallet with gas from the faucet, not registered. */
export async function createPlayer(stack: TestStack): Promise<Player> {
  const privateKey = generatePrivateKey();
  const account = privateKeyToAccount(privateKey);
  const transport = http(stack.chain.rpcUrl);
  const publicClient = createPublicClient({ chain: hardhat, transport, pollingInterval: 20 });
  const wallet = fromViem(createWalletClient({ account, chain: hardhat, transport }), publicClient as never);
  const client = createClient({ baseUrl: stack.httpUrl, wallet });
  const funded = await stack.request("POST", "/api/dev/faucet", { body: { address: account.address } });
  if (funded.status !== 200) throw new Error(`faucet: ${JSON.stringify(funded.body)}`);
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

/** A player with an identity. */
export async function createAgent(stack: TestStack, agentName = "Tester"): Promise<Player> {
  const player = await createPlayer(stack);
  await registerAgent({ client: player.client, agentName });
  return player;
}
