import { readFileSync } from "node:fs";
import { expect } from "chai";
import { type Hex, keccak256, toHex } from "viem";
import {
  CHAOS,
  type ChaosNode,
  type ChaosOptions,
  type Fault,
  shrinkFaults,
  startChaosNode,
  TestingError,
} from "../../testing/index.ts";
import { createChainClient, useChain } from "../adapters/chain/chain-fixture.ts";
import { startAnvil } from "../deploy/testnet.ts";
import { startServer } from "../helpers/http-server.ts";
import { waitUntil } from "../helpers/wait-until.ts";

const KINDS = ["send", "receipts", "logs", "head", "reorg", "errors"];
const HASH = `0x${"12".repeat(32)}`;
const CALLS: readonly (readonly [string, readonly unknown[]])[] = [
  ["eth_blockNumber", []],
  ["eth_getTransactionReceipt", [HASH]],
  ["eth_getLogs", [{ fromBlock: "0x0", toBlock: "latest" }]],
  ["eth_sendRawTransaction", ["0x00"]],
];

async function call(url: string, method: string, params: readonly unknown[]): Promise<{ readonly result?: unknown }> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const response = await fetch(url, { method: "POST", body, headers: { "Content-Type": "application/json" } });
  return response.ok ? ((await response.json()) as { result?: unknown }) : {};
}

describe("the chaos node", () => {
  const fixture = useChain();
  const opened: { close(): unknown }[] = [];
  afterEach(async () => {
    for (const one of opened.splice(0).reverse()) await one.close();
  });

  async function start(options: ChaosOptions): Promise<ChaosNode> {
    const node = await startChaosNode(options);
    opened.push(node);
    return node;
  }

  async function startChain(engine: string): Promise<string> {
    if (engine === "EDR") return fixture.rpcUrl;
    const anvil = await startAnvil({ createX: false });
    opened.push(anvil);
    return anvil.rpcUrl;
  }

  /** The faults for the same sequence of calls. */
  async function collectFaults(options: ChaosOptions): Promise<readonly Fault[]> {
    const node = await start(options);
    for (let round = 0; round < 15; round++)
      for (const [method, params] of CALLS) await call(node.url, method, params).catch(() => undefined);
    await node.close();
    return node.faults;
  }

  it("gives the same log of faults for a seed over EDR and over anvil, and replays it", async () => {
    const faults = await collectFaults({ to: fixture.rpcUrl, chaos: KINDS, seed: 7 });
    expect(new Set(faults.map(({ kind }) => kind))).to.have.keys(KINDS);
    expect(await collectFaults({ to: await startChain("anvil"), chaos: KINDS, seed: 7 })).to.deep.equal(faults);
    expect(await collectFaults({ to: fixture.rpcUrl, replay: faults })).to.deep.equal(faults);
    expect(await collectFaults({ to: fixture.rpcUrl, chaos: KINDS, seed: 8 })).to.not.deep.equal(faults);
  });

  it("changes nothing without chaos, and only one answer with one fault", async () => {
    await fixture.client.mine({ blocks: 5 });
    const replay: readonly Fault[] = [{ kind: "head", call: 2, fault: "head behind" }];
    const node = await start({ to: fixture.rpcUrl, replay });
    const heads = [];
    for (let read = 0; read < 3; read++) heads.push(Number((await call(node.url, "eth_blockNumber", [])).result));
    expect([heads[1]! - heads[0]!, heads[2]! - heads[0]!]).to.deep.equal([-2, 0]);
    const answers = [node.url, fixture.rpcUrl].map((url) =>
      Promise.all([[], ["zz"], [7]].map((params) => call(url, "eth_sendRawTransaction", params))),
    );
    expect(await answers[0]).to.deep.equal(await answers[1]);
    await node.reorg(1);
  });

  it("lags and lies about its head, including the latest block", async () => {
    await fixture.client.mine({ blocks: 5 });
    const head = await fixture.client.getBlock();
    const faults = ["head behind", "head ahead", "head of another hash"] as const;
    const replay = faults.flatMap((fault, index): Fault[] =>
      [1, 2].map((call) => ({ kind: "head", call: index * 2 + call, fault })),
    );
    const node = await start({ to: fixture.rpcUrl, replay });
    const seen = [];
    for (let read = 0; read < 4; read++) {
      const number = Number((await call(node.url, "eth_blockNumber", [])).result) - Number(head.number);
      const block = (await call(node.url, "eth_getBlockByNumber", ["latest", false])).result as typeof head;
      seen.push([number, Number(block.number) - Number(head.number), block.hash === head.hash]);
    }
    expect(seen).to.deep.equal([
      [-2, -2, false],
      [2, 2, false],
      [0, 0, false],
      [0, 0, true],
    ]);
  });

  it("fails the calls that match a rule, set in code or by chaos_fail, and records the faults", async () => {
    const node = await start({ to: fixture.rpcUrl, seed: 7 });
    const readHead = () =>
      call(node.url, "eth_blockNumber", []).then(
        ({ result }) => (result === undefined ? "no result" : "fine"),
        () => "cut",
      );
    const readTwice = async () => [await readHead(), await readHead()];
    node.fail("cut", { of: "eth_blockNumber", times: 1 });
    expect((await call(node.url, "eth_chainId", [])).result).to.equal("0x7a69");
    expect(await readTwice()).to.deep.equal(["cut", "fine"]);
    node.fail("error", { batchesAbove: 1 });
    expect(await readTwice()).to.deep.equal(["fine", "fine"]);
    expect((await call(node.url, "chaos_fail", ["error", { share: 0.5 }])).result).to.equal(true);
    const answers = [];
    for (let count = 0; count < 40; count++) answers.push(await readHead());
    expect(answers.filter((answer) => answer === "fine").length).to.be.within(10, 30);
    await call(node.url, "chaos_fail", [null]);
    expect(await readTwice()).to.deep.equal(["fine", "fine"]);
    const { error } = (await call(node.url, "chaos_fail", ["quake"])) as { error?: { message: string } };
    expect(error?.message).to.match(/fail: expected send lost, .*head stuck; received "quake"/);
    expect(() => node.fail("cut", { times: 0 })).to.throw(TestingError, /fail: expected of, times, .*times:/);
    expect((await call(node.url, "chaos_faults", [])).result).to.deep.equal(node.faults);
    const { kind, call: first } = node.faults[0]!;
    expect([kind, first]).to.deep.equal(["errors", 2]);
  });

  for (const engine of ["EDR", "anvil"])
    it(`keeps its head stuck, over ${engine}`, async () => {
      const to = await startChain(engine);
      const chain = createChainClient(to);
      const head = await chain.getBlock();
      const node = await start({ to });
      const readHead = async () => {
        const block = (await call(node.url, "eth_getBlockByNumber", ["latest", false])).result as typeof head;
        return { ...(await call(node.url, "eth_blockNumber", [])), hash: block.hash };
      };
      await call(node.url, "chaos_fail", ["head stuck"]);
      const before = await readHead();
      expect(before).to.deep.equal({ jsonrpc: "2.0", id: 1, result: toHex(head.number), hash: head.hash });
      await chain.mine({ blocks: 2 });
      const after = await readHead();
      expect(after).to.deep.equal(before);
      expect(node.faults).to.have.length(4).and.to.deep.include({ kind: "stuck", call: 4, fault: "head stuck" });
    });

  it("gives each call of a batch a separate fault", async () => {
    const replay: readonly Fault[] = [
      { kind: "send", call: 1, fault: "send lost" },
      { kind: "head", call: 1, fault: "head ahead" },
    ];
    const node = await start({ to: fixture.rpcUrl, replay });
    const batch = ["eth_chainId", "eth_sendRawTransaction", "eth_blockNumber"].map((method, id) => {
      return { jsonrpc: "2.0", id, method, params: method.includes("send") ? ["0x00"] : [] };
    });
    const response = await fetch(node.url, { method: "POST", body: JSON.stringify(batch) });
    const answers = (await response.json()) as readonly { readonly result: string }[];
    const head = Number(await fixture.client.getBlockNumber());
    expect(answers.map(({ result }) => result)).to.deep.equal(["0x7a69", keccak256("0x00"), toHex(head + 2)]);
  });

  it("never answers a call of a batch with another's answer", async () => {
    const leavesOut = await startServer((body, response) => {
      const calls = JSON.parse(body) as { readonly id: number } | { readonly id: number }[];
      const answers = [calls].flat().map(({ id }) => ({ jsonrpc: "2.0", id, result: toHex(id) }));
      response.end(JSON.stringify(Array.isArray(calls) ? answers.toSpliced(1, 1) : answers[0]));
    });
    opened.push(leavesOut);
    const node = await start({ to: leavesOut.url });
    node.intercept((_, answer) => answer);
    const batch = [1, 2, 3].map((id) => ({ jsonrpc: "2.0", id, method: "eth_chainId", params: [] }));
    const response = await fetch(node.url, { method: "POST", body: JSON.stringify(batch) });
    const answers = (await response.json()) as readonly object[];
    expect(answers).to.deep.equal([1, 3].map((id) => ({ jsonrpc: "2.0", id, result: toHex(id) })));
  });

  it("answers pages of this machine, but no other site", async () => {
    const node = await start({ to: fixture.rpcUrl });
    const ask = async (method: string, origin: string) => {
      const body = method === "POST" ? JSON.stringify({ id: 1, method: "eth_accounts" }) : null;
      const headers = { Origin: origin, "Content-Type": "application/json" };
      return (await fetch(node.url, { method, headers, body })).status;
    };
    const pages = ["http://127.0.0.1:5173", "https://example.org"];
    const statuses = pages.flatMap((page) => ["OPTIONS", "POST"].map((method) => ask(method, page)));
    expect(await Promise.all(statuses)).to.deep.equal([204, 200, 403, 403]);
  });

  it("hangs until it is closed", async () => {
    const replay: readonly Fault[] = [{ kind: "hang", call: 1, fault: "hang" }];
    const node = await start({ to: fixture.rpcUrl, replay });
    const hung = call(node.url, "eth_blockNumber", []).catch(() => "closed");
    expect(Number((await call(node.url, "eth_blockNumber", [])).result)).to.be.greaterThan(0);
    await node.close();
    expect(await hung).to.equal("closed");
  });

  for (const engine of ["EDR", "anvil"])
    it(`sends late, and reorganizes the blocks since its start with the chosen transactions lost, over ${engine}`, async () => {
      const to = await startChain(engine);
      const chain = createChainClient(to);
      const account = fixture.players[0]!;
      const replay: readonly Fault[] = [
        { kind: "send", call: 4, fault: "send late" },
        { kind: "reorg", call: 1, fault: "reorg of 3" },
      ];
      const node = await start({ to, replay });
      const sender = createChainClient(node.url);
      await chain.setBalance({ address: account.address, value: 10n ** 18n });
      const nonce = await chain.getTransactionCount(account);
      const fees = { gas: 21_000n, maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 10n ** 9n };
      const send = (index: number) =>
        sender.sendTransaction({ ...fees, account, to: account.address, nonce: nonce + index });
      const isMined = (hash: Hex) =>
        chain.getTransactionReceipt({ hash }).then(
          () => true,
          () => false,
        );
      const first = await send(0);
      const second = await send(1);
      // anvil answers a send before it mines.
      for (const sent of [first, second]) await waitUntil(() => isMined(sent));
      const { hash, number } = await chain.getBlock();
      // The fault at the first such call retains both.
      await call(node.url, "eth_getLogs", [{}]);
      expect((await chain.getBlock({ blockNumber: number })).hash).to.not.equal(hash);
      expect(await Promise.all([first, second].map(isMined))).to.deep.equal([true, true]);
      await call(node.url, "chaos_reorg", [256, { lose: [] }]);
      expect(await Promise.all([first, second].map(isMined))).to.deep.equal([true, true]);
      await node.reorg(256, { lose: [`0x${second.slice(2).toUpperCase()}`] });
      expect(await Promise.all([first, second].map(isMined))).to.deep.equal([true, false]);
      await send(1);
      const late = await send(2);
      for (let count = 1; count < 10; count++) await call(node.url, "eth_chainId", []);
      expect(await isMined(late)).to.equal(false);
      await call(node.url, "eth_chainId", []);
      await waitUntil(() => isMined(late));
    });

  it("rejects a reorganization of no blocks, of too many, or with invalid hashes of lost transactions", async () => {
    const node = await start({ to: fixture.rpcUrl });
    await fixture.client.mine({ blocks: 2 });
    const { hash } = await fixture.client.getBlock();
    const wrong: readonly (readonly [RegExp, readonly unknown[]])[] = [
      ...["x", -1, 0, 1.5, 257, "1", null].map((depth) => [/^depth: expected a whole number/, [depth]] as const),
      [/^depth: expected a whole number from 1 to 256; received undefined/, []],
      ...[null, HASH, [HASH], { lost: [] }, { lose: HASH }, { lose: ["0x12"] }, { lose: [1] }].map(
        (options) => [/^reorg: expected \{ lose: \[32-byte hashes\] \}; /, [1, options]] as const,
      ),
    ];
    for (const [message, params] of wrong) {
      const { error } = (await call(node.url, "chaos_reorg", params)) as { error?: { message: string } };
      expect(error?.message, JSON.stringify(params)).to.match(message);
    }
    expect(await node.reorg(0).catch((error: unknown) => error)).to.include({ code: "INVALID_OPTION" });
    expect((await fixture.client.getBlock()).hash).to.equal(hash);
    expect((await call(node.url, "chaos_reorg", [1])).result).to.equal(true);
    expect((await fixture.client.getBlock()).hash).to.not.equal(hash);
  });

  it("has each fault in docs/testing.md", () => {
    const page = readFileSync(new URL("../../docs/testing.md", import.meta.url), "utf8");
    for (const [kind, faults] of Object.entries(CHAOS))
      expect(page).to.include(`\n| \`${kind}\` | ${faults.map((fault) => `\`${fault}\``).join(", ")} |`);
  });

  it("rejects an unknown fault, a seed that is not an integer, a missing node and a port in use", async () => {
    const to = fixture.rpcUrl;
    const wrong: readonly (readonly [ChaosOptions, string, RegExp])[] = [
      [{ to, chaos: ["quake"] }, "UNKNOWN_FAULT", /expected send, receipts, logs, .*received "quake"/],
      [{ to, seed: 0.5 }, "INVALID_OPTION", /seed: expected a whole number/],
      ...["here", "localhost:8545", "ftp://127.0.0.1"].map(
        (url) => [{ to: url }, "INVALID_OPTION", /to: expected an http\(s\) URL of a node; received "/] as const,
      ),
      ...[-1, 0.5, 65_536].map(
        (port) => [{ to, port }, "INVALID_OPTION", /port: expected a whole number from 0 to 65535/] as const,
      ),
      [{ to: "http://127.0.0.1:9" }, "NODE_UNREACHABLE", /nothing answers at http:\/\/127\.0\.0\.1:9/],
      [{ to, port: fixture.chain.port }, "PORT_IN_USE", /is in use/],
    ];
    for (const [options, code, message] of wrong) {
      const error = await start(options).catch((cause: unknown) => cause);
      expect(error, code).to.be.instanceOf(TestingError);
      expect(error).to.include({ code });
      expect((error as TestingError).message).to.match(message);
    }
  });

  it("leaves only the faults that are needed", async () => {
    const faults = [1, 2, 3, 4, 5].map((number): Fault => ({ kind: "slow", call: number, fault: "slow" }));
    const needed = await shrinkFaults(faults, async (kept) => [2, 5].every((n) => kept.some(({ call }) => call === n)));
    expect(needed.map(({ call }) => call)).to.deep.equal([2, 5]);
  });
});
