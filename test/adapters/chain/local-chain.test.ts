import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { createTestClient, http, publicActions, walletActions } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { hardhat } from "viem/chains";
import { WebSocket } from "ws";
import { type LocalChain, startLocalChain } from "../../../backend/adapters/chain/local-chain.ts";
import { testAccounts } from "./accounts.ts";

const [alice, bob] = testAccounts.map((account) => privateKeyToAccount(account.privateKey));
const stranger = "0x00000000000000000000000000000000000A11cE";

const clientOf = (rpcUrl: string) =>
  createTestClient({ mode: "hardhat", chain: hardhat, transport: http(rpcUrl) })
    .extend(publicActions)
    .extend(walletActions);
type Client = ReturnType<typeof clientOf>;

/** Everything a restart must find again. */
async function photograph(client: Client) {
  const head = await client.getBlock();
  const addresses = [alice!.address, bob!.address, stranger] as const;
  return {
    number: head.number,
    hash: head.hash,
    timestamp: head.timestamp,
    balances: await Promise.all(addresses.map((address) => client.getBalance({ address }))),
    nonces: await Promise.all(addresses.map((address) => client.getTransactionCount({ address }))),
  };
}

/** One of each thing that changes the chain, as it comes over JSON-RPC. */
async function live(client: Client): Promise<void> {
  await client.sendTransaction({ account: alice!, to: stranger, value: 5n });
  await client.sendTransaction({ account: bob!.address, to: stranger, value: 7n });
  await client.setBalance({ address: stranger, value: 10n ** 18n });
  await client.increaseTime({ seconds: 3_600 });
  await client.mine({ blocks: 3 });
  await client.impersonateAccount({ address: stranger });
  await client.sendTransaction({ account: stranger, to: bob!.address, value: 1n });
  await client.sendTransaction({ account: alice!, to: stranger, value: 9n, gasPrice: 10n ** 10n });
}

describe("the local chain", () => {
  let dataDir: string;
  let open: LocalChain[];
  const start = async (more: Partial<Parameters<typeof startLocalChain>[0]> = {}) => {
    const chain = await startLocalChain({ dataDir, port: 0, whenBusy: "fail", accounts: testAccounts, ...more });
    open.push(chain);
    return { chain, client: clientOf(chain.rpcUrl) };
  };
  const stop = async (chain: LocalChain) => {
    open = open.filter((other) => other !== chain);
    await chain.close();
  };

  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "arcade-chain-"));
    open = [];
  });
  afterEach(async () => {
    for (const chain of open) await chain.close();
    await rm(dataDir, { recursive: true });
  });

  it("finds the same blocks, balances and nonces after a restart", async () => {
    const { chain, client } = await start();
    await live(client);
    const before = await photograph(client);
    await stop(chain);
    const again = await start();
    expect(await photograph(again.client)).to.deep.equal(before);
    expect(again.chain.restored).to.equal(true);
  });

  it("finds the same chain after kill -9 in the middle of its life", async () => {
    const child: ChildProcess = spawn(
      process.execPath,
      [fileURLToPath(new URL("chain-process.ts", import.meta.url)), dataDir],
      { stdio: ["ignore", "pipe", "inherit"] },
    );
    const [line] = (await once(child.stdout!, "data")) as [Buffer];
    const client = clientOf(line.toString().trim());
    await live(client);
    const before = await photograph(client);
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(await photograph((await start()).client)).to.deep.equal(before);
  });

  it("cuts a torn last line off and goes on", async () => {
    const { chain, client } = await start();
    await live(client);
    const before = await photograph(client);
    await stop(chain);
    const path = join(dataDir, "chain", "journal.jsonl");
    const whole = await readFile(path, "utf8");
    await appendFile(path, '{"kind":"block","hash":"0x12');
    const again = await start();
    expect(await photograph(again.client)).to.deep.equal(before);
    expect(await readFile(path, "utf8")).to.equal(whole);
    await again.client.sendTransaction({ account: alice!, to: stranger, value: 1n });
    const after = await photograph(again.client);
    await stop(again.chain);
    expect(await photograph((await start()).client)).to.deep.equal(after);
  });

  it("refuses a journal with an unreadable line in the middle", async () => {
    const { chain, client } = await start();
    await live(client);
    await stop(chain);
    await appendFile(join(dataDir, "chain", "journal.jsonl"), 'nonsense\n{"kind":"travel","seconds":0}\n');
    const error = await start().catch((cause: Error) => cause);
    expect(String(error)).to.match(/journal .* cannot be read/);
  });

  it("keeps to the wall clock plus what was travelled, and never goes back", async () => {
    const { chain, client } = await start();
    await client.increaseTime({ seconds: 86_400 });
    await client.mine({ blocks: 1 });
    const travelled = await client.getBlock();
    expect(Number(travelled.timestamp) - Date.now() / 1_000).to.be.within(86_390, 86_410);
    await stop(chain);
    const again = await start();
    await again.client.mine({ blocks: 1 });
    const next = await again.client.getBlock();
    expect(next.number).to.equal(travelled.number + 1n);
    expect(next.timestamp >= travelled.timestamp).to.equal(true);
    expect(Number(next.timestamp) - Date.now() / 1_000).to.be.within(86_390, 86_420);
  });

  it("does not lose the time it was away", async () => {
    await stop((await start()).chain);
    const path = join(dataDir, "chain", "journal.jsonl");
    const header = JSON.parse(await readFile(path, "utf8"));
    await writeFile(path, `${JSON.stringify({ ...header, genesisAt: header.genesisAt - 86_400 })}\n`);
    const { client } = await start();
    await client.mine({ blocks: 1 });
    expect(Number((await client.getBlock()).timestamp) - Date.now() / 1_000).to.be.within(-10, 20);
  });

  it("does not run ahead of the wall clock in a burst of transactions", async () => {
    const { client } = await start();
    const first = await client.getBlock();
    for (let value = 0n; value < 40n; value++) await client.sendTransaction({ account: alice!, to: stranger, value });
    const last = await client.getBlock();
    expect(last.number).to.equal(first.number + 40n);
    expect(Number(last.timestamp)).to.be.at.most(Math.ceil(Date.now() / 1_000) + 1);
  });

  it("forgets in its journal what evm_revert takes back", async () => {
    const { chain, client } = await start();
    await client.sendTransaction({ account: alice!, to: stranger, value: 5n });
    const id = await client.snapshot();
    await client.sendTransaction({ account: alice!, to: stranger, value: 6n });
    await client.revert({ id });
    await client.sendTransaction({ account: bob!, to: stranger, value: 7n });
    const before = await photograph(client);
    await stop(chain);
    expect(await photograph((await start()).client)).to.deep.equal(before);
  });

  it("saves itself by name and becomes a saved chain again while running", async () => {
    const { chain, client } = await start();
    await live(client);
    const saved = await photograph(client);
    await chain.request("arcade_saveChain", ["one"]);
    await client.sendTransaction({ account: alice!, to: stranger, value: 1n });
    const later = await photograph(client);
    await chain.request("arcade_loadChain", ["one"]);
    expect(await photograph(client))
      .to.deep.equal(saved)
      .and.not.to.deep.equal(later);
    await stop(chain);
    expect(await photograph((await start()).client)).to.deep.equal(saved);
  });

  it("refuses to load what was never saved, and names that are paths", async () => {
    const { chain } = await start();
    for (const name of ["never", "../journal", ""]) {
      const error = await chain.request("arcade_loadChain", [name]).catch((cause: Error) => cause);
      expect(error).to.be.instanceOf(Error);
    }
    expect(await chain.request("eth_chainId")).to.equal("0x7a69");
  });

  it("forgets everything with fresh", async () => {
    const { chain, client } = await start();
    await live(client);
    await stop(chain);
    const again = await start({ fresh: true });
    expect(await again.client.getBlockNumber()).to.equal(0n);
    expect(again.chain.restored).to.equal(false);
  });

  it("funds an address from the faucet, and remembers it", async () => {
    const { chain, client } = await start();
    await Promise.all([chain.fund(stranger, 3n), chain.fund(stranger, 4n)]);
    const hash = await chain.fund(stranger, 0n);
    expect((await client.getTransactionReceipt({ hash })).status).to.equal("success");
    for (const account of [alice!, bob!]) expect(await client.getTransactionCount(account)).to.equal(0);
    expect(await client.getBalance({ address: stranger })).to.equal(7n);
    await stop(chain);
    expect(await (await start()).client.getBalance({ address: stranger })).to.equal(7n);
  });

  it("names a busy port, or takes the next one where it may", async () => {
    const blocker = createServer();
    await new Promise<void>((resolve) => blocker.listen(0, "127.0.0.1", resolve));
    const { port } = blocker.address() as { port: number };
    try {
      const error = await start({ port }).catch((cause: Error) => cause);
      expect(String(error)).to.include(`Port ${port} is busy`);
      const { chain } = await start({ port, whenBusy: "next" });
      expect(chain.port).to.be.greaterThan(port);
    } finally {
      blocker.close();
    }
  });

  it("gives the folder to one process", async () => {
    await start();
    const error = await start().catch((cause: Error) => cause);
    expect(String(error)).to.include("Another process runs the local chain");
  });

  it("answers malformed requests and frames, and lives on", async () => {
    const { chain } = await start();
    const post = async (body: string) => (await fetch(chain.rpcUrl, { method: "POST", body })).json();
    expect((await post("{")).error.code).to.equal(-32_700);
    expect((await post("null")).error.code).to.equal(-32_600);
    expect((await post('{"id":1,"method":"no_such","params":[]}')).error.code).to.equal(-32_004);
    expect(await post('[{"id":1,"method":"eth_chainId"}]')).to.deep.equal([
      { jsonrpc: "2.0", id: 1, result: "0x7a69" },
    ]);
    const socket = new WebSocket(chain.rpcUrl.replace("http", "ws"));
    await once(socket, "open");
    const closed = once(socket, "close");
    // A frame with reserved bits set: the protocol calls it an error.
    (socket as unknown as { _socket: { write(bytes: Buffer): void } })._socket.write(Buffer.from([0xff, 0xff, 0xff]));
    await closed;
    expect(await chain.request("eth_chainId")).to.equal("0x7a69");
  });

  it("notifies the subscriber of a WebSocket about new blocks", async () => {
    const { chain, client } = await start();
    const socket = new WebSocket(chain.rpcUrl.replace("http", "ws"));
    await once(socket, "open");
    socket.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_subscribe", params: ["newHeads"] }));
    const [subscribed] = await once(socket, "message");
    const notified = once(socket, "message");
    await client.mine({ blocks: 1 });
    const [notification] = await notified;
    expect(JSON.parse(String(notification)).params.subscription).to.equal(JSON.parse(String(subscribed)).result);
  });
});
