import { createPublicClient, createWalletClient, http } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { createClient, fromViem, registerAgent } from "../../client/index.ts";
import type { AnvilChain } from "./anvil-stack.ts";
import { sendRequest } from "./suite.ts";

/** An agent with ether, an identity and a sign-in at a backend on an anvil. */
export async function createAnvilAgent(chain: AnvilChain, httpUrl: string) {
  const account = privateKeyToAccount(generatePrivateKey());
  await chain.fund(account.address);
  const [transport, viemChain] = [http(chain.rpcUrl), chain.client.chain];
  const publicClient = createPublicClient({ chain: viemChain, transport, pollingInterval: 20 });
  const wallet = fromViem(createWalletClient({ account, chain: viemChain, transport }), publicClient as never);
  const client = createClient({ baseUrl: httpUrl, wallet });
  await registerAgent({ client, agentName: "Anvil" });
  const token = (await client.signIn.accessToken())!;
  const post = (path: string, body: object = {}) => sendRequest(httpUrl, "POST", path, { body, token });
  return { address: account.address, account, wallet, client, post };
}
