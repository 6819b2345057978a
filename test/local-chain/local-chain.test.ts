import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { privateKeyToAccount } from "viem/accounts";
import { WebSocket } from "ws";
import { type LocalChain, startLocalChain } from "../../local-chain/local-chain.ts";
import { RpcError } from "../../local-chain/rpc-error.ts";
import { testAccounts } from "../adapters/chain/accounts.ts";
import { createChainClient } from "../adapters/chain/chain-fixture.ts";

const [alice, bob] = testAccounts.map((account) => privateKeyToAccount(account.privateKey));
const recipient = "0x00000000000000000000000000000000000A11cE";

type Client = ReturnType<typeof createChainClient>;

/** The state that a restart must restore. */
async function readChainState(client: Client) {
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
async function sendMixedTransactions(client: Client): Promise<void> {
  await client.sendTransaction({ account: alice!, to: recipient, value: 5n });
  await client.sendTransaction({ account: bob!.address, to: recipient, value: 7n });
  await client.setBalance({ address: recipient, value: 10n ** 18n });
  await client.increaseTime({ seconds: 3_600 });
  await client.mine({ blocks: 3 });
  await client.impersonateAccount({ address: recipient });
  await client.sendTransaction({ account: recipient, to: bob!.address, value: 1n });
  await client.sendTransaction({ account: alice!, to: recipient, value: 9n, gasPrice: 10n ** 10n });
}

describe("the local chain", () => {
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
  /** A chain with transactions of each kind, which does not run. */
  const leaveChain = async () => {
    const { chain, client } = await start();
    await sendMixedTransactions(client);
    const state = await readChainState(client);
    await stop(chain);
    return state;
  };
  const openSocket = async ({ rpcUrl }: LocalChain): Promise<WebSocket> => {
    const socket = new WebSocket(rpcUrl.replace("http", "ws"));
    await once(socket, "open");
    return socket;
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

  it("a restart finds the same blocks, balances and nonces", async () => {
    const before = await leaveChain();
    const again = await start();
    expect(await readChainState(again.client)).to.deep.equal(before);
    expect(again.chain.restored).to.equal(true);
  });

  it("a restart after kill -9 finds the same chain", async () => {
    const program = fileURLToPath(new URL("chain-process.ts", import.meta.url));
    const child = spawn(process.execPath, [program, dataDir], { stdio: ["ignore", "pipe", "inherit"] });
    const [line] = (await once(child.stdout!, "data")) as [Buffer];
    const client = createChainClient(line.toString().trim());
    await sendMixedTransactions(client);
    const before = await readChainState(client);
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(await readChainState((await start()).client)).to.deep.equal(before);
  });

  it("a start removes an incomplete last line of the journal", async () => {
    const before = await leaveChain();
    const path = getJournal();
    const whole = await readFile(path, "utf8");
    await appendFile(path, '{"kind":"block","hash":"0x12');
    const again = await start();
    expect(await readChainState(again.client)).to.deep.equal(before);
    expect(await readFile(path, "utf8")).to.equal(whole);
    await again.client.sendTransaction({ account: alice!, to: recipient, value: 1n });
    const after = await readChainState(again.client);
    await stop(again.chain);
    expect(await readChainState((await start()).client)).to.deep.equal(after);
  });

  it("a start rejects a journal with an unreadable line in the middle", async () => {
    await leaveChain();
    await appendFile(getJournal(), 'nonsense\n{"kind":"travel","seconds":0}\n');
    const error = await start().catch((cause: Error) => cause);
    expect(String(error)).to.match(/journal .* cannot be read/);
  });

  it("the chain's clock is the wall clock plus its offset, and never goes back", async () => {
    const { chain, client } = await start();
    await client.increaseTime({ seconds: 86_400 });
    await client.mine({ blocks: 1 });
    const advanced = await client.getBlock();
    expect(Number(advanced.timestamp) - Date.now() / 1_000).to.be.within(86_390, 86_410);
    await stop(chain);
    const again = await start();
    await again.client.mine({ blocks: 1 });
    const next = await again.client.getBlock();
    expect(next.number).to.equal(advanced.number + 1n);
    expect(next.timestamp >= advanced.timestamp).to.equal(true);
    expect(Number(next.timestamp) - Date.now() / 1_000).to.be.within(86_390, 86_420);
  });

  it("the chain's clock includes the time between two runs", async () => {
    await stop((await start()).chain);
    const header = JSON.parse(await readFile(getJournal(), "utf8"));
    await writeFile(getJournal(), `${JSON.stringify({ ...header, genesisAt: header.genesisAt - 86_400 })}\n`);
    const { client } = await start();
    await client.mine({ blocks: 1 });
    expect(Number((await client.getBlock()).timestamp) - Date.now() / 1_000).to.be.within(-10, 20);
  });

  it("the chain's clock does not run ahead in a burst of transactions", async () => {
    const { client } = await start();
    const first = await client.getBlock();
    for (let value = 0n; value < 40n; value++) await client.sendTransaction({ account: alice!, to: recipient, value });
    const last = await client.getBlock();
    expect(last.number).to.equal(first.number + 40n);
    expect(Number(last.timestamp)).to.be.at.most(Math.ceil(Date.now() / 1_000) + 1);
  });

  it("the chain's clock keeps up with the wall clock after evm_revert", async () => {
    const { chain, client } = await start();
    await client.increaseTime({ seconds: 3_600 });
    const id = await client.snapshot();
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    await client.revert({ id });
    const getAheadSeconds = async () => Number((await client.getBlock()).timestamp) - Date.now() / 1_000;
    await client.mine({ blocks: 1 });
    expect(await getAheadSeconds()).to.be.within(3_598, 3_601);
    await chain.request("evm_increaseTime", [100]);
    await client.sendTransaction({ account: alice!, to: recipient, value: 1n });
    expect(await getAheadSeconds()).to.be.within(3_698, 3_701);
  });

  it("a reorganization keeps, moves or loses transactions, and a restart finds its blocks", async () => {
    const { chain, client } = await start();
    const outer = await client.snapshot();
    const send = (value: bigint) => client.sendTransaction({ account: alice!, to: recipient, value });
    const [kept, lost] = [await send(1n), await send(2n)];
    const before = await client.getBlock();
    await chain.request("arcade_reorg", [2, [lost]]);
    const after = await readChainState(client);
    expect(after.number).to.equal(before.number);
    expect(after.hash).to.not.equal(before.hash);
    expect((await client.getTransactionReceipt({ hash: kept })).blockNumber).to.equal(before.number - 1n);
    expect(await client.getTransactionReceipt({ hash: lost }).catch((error) => error.name)).to.match(/NotFound/);
    expect(after.balances[2]).to.equal(1n);
    expect(Number(after.timestamp) - Date.now() / 1_000).to.be.within(-10, 10);
    for (const depth of [0, -1, 3.5, 300, "2"]) {
      const error = await chain.request("anvil_reorg", [depth, []]).catch((cause: unknown) => cause);
      expect((error as RpcError).message, String(depth)).to.match(/Expected a depth from 1 to \d+, received/);
    }
    expect(await readChainState(client)).to.deep.equal(after);
    await stop(chain);
    const again = await start();
    expect(await readChainState(again.client)).to.deep.equal(after);
    await again.client.mine({ blocks: 2 });
    await again.chain.request("anvil_rollback", [1]);
    expect(await again.client.getBlockNumber()).to.equal(after.number + 1n);
    expect(outer).to.match(/^0x/);
  });

  it("a snapshot from before a reorganization is still there after it", async () => {
    const { client, chain } = await start();
    const before = await readChainState(client);
    const id = await client.snapshot();
    await client.mine({ blocks: 3 });
    await chain.request("anvil_reorg", [2, []]);
    await client.revert({ id });
    expect(await readChainState(client)).to.deep.equal(before);
  });

  it("anvil's and Hardhat's methods work alike, and others are explained", async () => {
    const { chain, client } = await start();
    await chain.request("anvil_setBalance", [recipient, "0x5"]);
    expect(await client.getBalance({ address: recipient })).to.equal(5n);
    await chain.request("evm_setAutomine", [false]);
    await client.sendTransaction({ account: alice!, to: recipient, value: 1n });
    expect(await chain.request("txpool_status")).to.deep.equal({ pending: "0x1", queued: "0x0" });
    const { pending } = (await chain.request("txpool_content")) as { pending: Record<string, object> };
    expect(Object.keys(pending)).to.deep.equal([alice!.address.toLowerCase()]);
    await chain.request("evm_setIntervalMining", [20]);
    while ((await client.getBlockNumber()) < 2n) await client.getBlock();
    await chain.request("evm_setIntervalMining", [0]);
    expect(await client.getBalance({ address: recipient })).to.equal(6n);
    await chain.request("anvil_reset");
    expect(await client.getBlockNumber()).to.equal(0n);
    const missing = ["eth_simulateV1", "anvil_dumpState", "anvil_setChainId", "trace_block", "evm_setTime"];
    for (const method of missing) {
      const error = (await chain.request(method).catch((cause: unknown) => cause)) as RpcError;
      expect(error.code, method).to.equal(-32_004);
      expect(error.message, method).to.match(new RegExp(`^${method} is not supported: .*\\w`));
    }
  });

  it("a time at which programs break is refused, up to the last second before", async () => {
    const { chain, client } = await start();
    const last = 253_402_300_799;
    const refused: readonly [string, readonly unknown[]][] = [
      ["evm_setNextBlockTimestamp", [last + 1]],
      ["evm_mine", [2 ** 53]],
      ["evm_increaseTime", [last]],
      ["hardhat_mine", ["0x2710", "0xffffffff"]],
      ["evm_setNextBlockTimestamp", ["soon"]],
    ];
    for (const [method, params] of refused) {
      const error = (await chain.request(method, params).catch((cause: unknown) => cause)) as RpcError;
      expect(error.message, method).to.include(`expected a time up to ${last} (the end of 9999)`);
    }
    await client.mine({ blocks: 1 });
    expect(Number((await client.getBlock()).timestamp) - Date.now() / 1_000).to.be.within(-10, 10);
    await chain.request("evm_setNextBlockTimestamp", [last]);
    await client.mine({ blocks: 1 });
    expect(Number((await client.getBlock()).timestamp)).to.equal(last);
  });

  it("evm_revert removes the reverted blocks from the journal", async () => {
    const { chain, client } = await start();
    await client.sendTransaction({ account: alice!, to: recipient, value: 5n });
    const id = await client.snapshot();
    await client.sendTransaction({ account: alice!, to: recipient, value: 6n });
    await client.revert({ id });
    await client.sendTransaction({ account: bob!, to: recipient, value: 7n });
    const before = await readChainState(client);
    await stop(chain);
    expect(await readChainState((await start()).client)).to.deep.equal(before);
  });

  it("a running chain is saved by name and loaded again", async () => {
    const { chain, client } = await start();
    await sendMixedTransactions(client);
    const saved = await readChainState(client);
    await chain.request("arcade_saveChain", ["one"]);
    await client.sendTransaction({ account: alice!, to: recipient, value: 1n });
    const later = await readChainState(client);
    await chain.request("arcade_loadChain", ["one"]);
    expect(await readChainState(client))
      .to.deep.equal(saved)
      .and.not.to.deep.equal(later);
    await stop(chain);
    expect(await readChainState((await start()).client)).to.deep.equal(saved);
  });

  it("a chain that was never saved and a name that is a path are rejected", async () => {
    const { chain } = await start();
    for (const name of ["never", "../journal", ""]) {
      const error = await chain.request("arcade_loadChain", [name]).catch((cause: unknown) => cause);
      expect(error, name).to.be.instanceOf(RpcError);
      expect((error as RpcError).code, name).to.equal(-32_602);
    }
    expect(await chain.request("eth_chainId")).to.equal("0x7a69");
  });

  it("a start with fresh deletes the chain", async () => {
    await leaveChain();
    const again = await start({ fresh: true });
    expect(await again.client.getBlockNumber()).to.equal(0n);
    expect(again.chain.restored).to.equal(false);
  });

  it("the faucet funds an address, also after a restart", async () => {
    const { chain, client } = await start();
    await Promise.all([chain.fund(recipient, 3n), chain.fund(recipient, 4n)]);
    const hash = await chain.fund(recipient, 0n);
    expect((await client.getTransactionReceipt({ hash })).status).to.equal("success");
    for (const account of [alice!, bob!]) expect(await client.getTransactionCount(account)).to.equal(0);
    expect(await client.getBalance({ address: recipient })).to.equal(7n);
    await stop(chain);
    expect(await (await start()).client.getBalance({ address: recipient })).to.equal(7n);
  });

  it("a busy port is reported, or the next one is taken", async () => {
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

  it("only one process can use the folder", async () => {
    await start();
    const error = await start().catch((cause: Error) => cause);
    expect(String(error)).to.include("Another process runs the local chain");
  });

  it("malformed requests and frames are answered, and the chain continues", async () => {
    const { chain } = await start();
    const post = async (body: string) => (await fetch(chain.rpcUrl, { method: "POST", body })).json();
    expect((await post("{")).error.code).to.equal(-32_700);
    expect((await post("null")).error.code).to.equal(-32_600);
    expect((await post('{"id":1,"method":"no_such","params":[]}')).error.code).to.equal(-32_004);
    expect(await post('[{"id":1,"method":"eth_chainId"}]')).to.deep.equal([
      { jsonrpc: "2.0", id: 1, result: "0x7a69" },
    ]);
    const socket = await openSocket(chain);
    const closed = once(socket, "close");
    // A frame with reserved bits set: the protocol calls it an error.
    (socket as unknown as { _socket: { write(bytes: Buffer): void } })._socket.write(Buffer.from([0xff, 0xff, 0xff]));
    await closed;
    expect(await chain.request("eth_chainId")).to.equal("0x7a69");
  });

  it("a subscriber of the WebSocket is notified of new blocks", async () => {
    const { chain, client } = await start();
    const socket = await openSocket(chain);
    socket.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_subscribe", params: ["newHeads"] }));
    const [subscribed] = await once(socket, "message");
    const notified = once(socket, "message");
    await client.mine({ blocks: 1 });
    const [notification] = await notified;
    expect(JSON.parse(String(notification)).params.subscription).to.equal(JSON.parse(String(subscribed)).result);
  });
});
