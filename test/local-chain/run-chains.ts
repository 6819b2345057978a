/** Local chains of a test. Their folders are removed after it. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { privateKeyToAccount } from "viem/accounts";
import { type LocalChain, startLocalChain } from "../../local-chain/local-chain.ts";
import { testAccounts } from "../adapters/chain/accounts.ts";
import { createChainClient } from "../adapters/chain/chain-fixture.ts";

export const [alice, bob] = testAccounts.map((account) => privateKeyToAccount(account.privateKey));
export const recipient = "0x00000000000000000000000000000000000A11cE";

type Client = ReturnType<typeof createChainClient>;

/** The state that a restart has to restore. */
export async function readChainState(client: Client) {
  const head = await client.getBlock();
  const addresses = [alice!.address, bob!.address, recipient] as const;
  return {
    number: head.number,
    hash: head.hash,
    timestamp: head.timestamp,
    balances: await Promise.all(addresses.map((address) => client.getBalance({ address }))),
    nonces: await Promise.all(addresses.map((address) => client.getTransactionCount({ address }))),
  };
}

/** One JSON-RPC request of each kind that changes the chain. */
export async function sendMixedTransactions(client: Client): Promise<void> {
  await client.sendTransaction({ account: alice!, to: recipient, value: 5n });
  await client.sendTransaction({ account: bob!.address, to: recipient, value: 7n });
  await client.setBalance({ address: recipient, value: 10n ** 18n });
  await client.increaseTime({ seconds: 3_600 });
  await client.mine({ blocks: 3 });
  await client.impersonateAccount({ address: recipient });
  await client.sendTransaction({ account: recipient, to: bob!.address, value: 1n });
  await client.sendTransaction({ account: alice!, to: recipient, value: 9n, gasPrice: 10n ** 10n });
}

export function useLocalChains() {
  let dataDir: string;
  let open: LocalChain[];
  const start = async (more: Partial<Parameters<typeof startLocalChain>[0]> = {}) => {
    const chain = await startLocalChain({ dataDir, port: 0, whenBusy: "fail", accounts: testAccounts, ...more });
    open.push(chain);
    return { chain, client: createChainClient(chain.rpcUrl) };
  };
  const stop = async (chain: LocalChain) => {
    open = open.filter((other) => other !== chain);
    await chain.close();
  };
  /** A stopped chain with transactions of each kind. */
  const leaveChain = async () => {
    const { chain, client } = await start();
    await sendMixedTransactions(client);
    const state = await readChainState(client);
    await stop(chain);
    return state;
  };
  const getJournal = (): string => join(dataDir, "chain", "journal.jsonl");

  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "arcade-chain-"));
    open = [];
  });
  afterEach(async () => {
    for (const chain of open) await chain.close();
    await rm(dataDir, { recursive: true });
  });
  return { start, stop, leaveChain, getJournal, getDataDir: () => dataDir };
}
