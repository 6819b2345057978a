/** Wallets without ether, whose transactions the operator pays for. */
import { createPublicClient, createWalletClient, http } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { hardhat } from "viem/chains";
import { createClient, fromViem } from "../../../client/index.ts";
import type { Player } from "../../../testing/player.ts";
import type { TestStack } from "../../helpers/suite.ts";

/** A fresh wallet without ether. */
export function createPoorPlayer(stack: TestStack): Player {
  const privateKey = generatePrivateKey();
  const account = privateKeyToAccount(privateKey);
  const transport = http(stack.chain.rpcUrl);
  const publicClient = createPublicClient({ chain: hardhat, transport, pollingInterval: 20 });
  const wallet = fromViem(createWalletClient({ account, chain: hardhat, transport }), publicClient as never);
  const client = createClient({ baseUrl: stack.httpUrl, wallet });
  const getAccessToken = async () => (await client.signIn.accessToken())!;
  return { privateKey, address: account.address, wallet, client, getAccessToken };
}

/** A reader of the suite's chain. */
export const connect = (stack: TestStack) =>
  createPublicClient({ chain: hardhat, transport: http(stack.chain.rpcUrl) });

/** The wallet's balance and number of sent transactions. */
export async function readAccount(stack: TestStack, { address }: Player) {
  const client = connect(stack);
  return { balance: await client.getBalance({ address }), sent: await client.getTransactionCount({ address }) };
}
