/** The requests of libraries and tools to a node: Foundry, web3.js, viem, indexers. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { JsonRpcProvider, Wallet } from "ethers";
import {
  createPublicClient,
  createWalletClient,
  type Hex,
  http,
  maxUint256,
  numberToHex,
  parseAbi,
  sha256,
} from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { hardhat } from "viem/chains";
import { developmentAccount } from "../../backend/config/dev-keys.ts";
import { type LocalChain, startLocalChain } from "../../local-chain/local-chain.ts";
import { waitUntil } from "../helpers/wait-until.ts";

/** Runtime code that emits `Called()` and returns its calldata. */
const ECHO = "0x7f81fab7a4a0aa961db47eefc81f143a5220e8c8495260dd65b1356f1d19d3c7b85f5fa1365f5f37365ff3";
const ADDRESS = "0x00000000000000000000000000000000000ec400";
const account = privateKeyToAccount(developmentAccount(0).privateKey);

describe("the local chain, as libraries use it", () => {
  let folder: string;
  let chain: LocalChain;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "arcade-dialects-"));
    chain = await startLocalChain({ dataDir: folder, port: 0, whenBusy: "fail", accounts: [developmentAccount(0)] });
    await chain.request("hardhat_setCode", [ADDRESS, ECHO]);
  });
  after(async () => {
    await chain.close();
    await rm(folder, { recursive: true });
  });

  /** The answer that a client gets over HTTP. */
  const post = async (method: string, params: unknown) => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const answer = await fetch(chain.rpcUrl, { method: "POST", body });
    return (await answer.json()) as { result?: unknown; error?: { code: number; message: string } };
  };
  const createWallet = () => createWalletClient({ account, chain: hardhat, transport: http(chain.rpcUrl) });

  it("accepts a call's data as data, as input, and as both", async () => {
    for (const fields of [
      { data: "0xAb" },
      { input: "0xab" },
      { data: "0xAb", input: "0xab" },
      { data: null, input: "0xab" },
    ]) {
      const call = { from: account.address, to: ADDRESS, ...fields };
      expect(await post("eth_call", [call, "latest", null, null]), JSON.stringify(fields)).to.include({
        result: "0xab",
      });
      for (const method of ["eth_estimateGas", "eth_sendTransaction"])
        expect((await post(method, [call])).result, method).to.match(/^0x/);
      expect((await post("debug_traceCall", [call, "latest", { tracer: "callTracer" }])).result).to.include({
        output: "0xab",
      });
    }
    const { error } = await post("eth_call", [{ to: ADDRESS, data: "0x", input: "0xab" }]);
    expect(error?.message).to.match(/^Expected data or input for eth_call, or the same value in both/);
  });

  it("explains which overrides it supports", async () => {
    for (const [method, params] of [
      ["eth_call", [{ to: ADDRESS }, "latest", {}, { time: "0x1" }]],
      ["eth_estimateGas", [{ to: ADDRESS }, "latest", {}]],
    ] as const)
      expect((await post(method, params)).error?.message).to.include("state overrides in eth_call only");
  });

  it("accepts short storage keys in a proof, and calls with more gas than a transaction may have, as geth does", async () => {
    const key = `0x${"0".repeat(63)}1`;
    const [expected, ...proofs] = await Promise.all(
      [key, "0x1", "0x01"].map((short) => post("eth_getProof", [ADDRESS, [short], "latest"])),
    );
    expect(expected?.result).to.have.nested.property("storageProof[0].proof");
    for (const proof of proofs) expect(proof).to.deep.equal(expected);
    const call = { to: ADDRESS, data: "0xab", gas: "0x5f5e100" };
    expect(await post("eth_call", [call, "latest"])).to.include({ result: "0xab" });
    expect((await post("eth_estimateGas", [call])).result).to.match(/^0x/);
  });

  it("returns the fee history without percentiles", async () => {
    const expected = await post("eth_feeHistory", ["0x1", "latest", []]);
    expect(expected.result).to.have.property("baseFeePerGas");
    for (const params of [
      ["0x1", "latest"],
      ["0x1", "latest", null],
    ])
      expect(await post("eth_feeHistory", params)).to.deep.equal(expected);
  });

  it("treats null as no params, and lists its accounts when a page requests them", async () => {
    expect(await post("eth_chainId", null)).to.include({ result: "0x7a69" });
    expect(await createWallet().requestAddresses()).to.include(account.address);
  });

  it("returns the receipts and traces of a block by number and by hash", async () => {
    const hash = (await post("eth_sendTransaction", [{ from: account.address, to: ADDRESS }])).result;
    const receipt = (await post("eth_getTransactionReceipt", [hash])).result as { blockHash: Hex; blockNumber: Hex };
    for (const id of [receipt.blockNumber, receipt.blockHash, { blockHash: receipt.blockHash }, "latest"])
      expect((await post("eth_getBlockReceipts", [id])).result).to.deep.equal([receipt]);
    expect((await post("eth_getBlockReceipts", ["0xffff"])).result).to.equal(null);
    const traces = await post("debug_traceBlockByNumber", ["latest", { tracer: "callTracer" }]);
    const [trace] = traces.result as readonly { txHash: Hex; result: object }[];
    expect(trace).to.include({ txHash: hash });
    expect(trace?.result).to.include({ type: "CALL" });
  });

  it("sends a transaction and returns its receipt", async () => {
    const receipt = await createWallet().sendTransactionSync({ to: ADDRESS, value: 0n });
    expect(receipt.status).to.equal("success");
    await chain.request("evm_setAutomine", [false]);
    const { error } = await post("eth_sendTransactionSync", [{ from: account.address, to: ADDRESS }]);
    await chain.request("evm_setAutomine", [true]);
    await chain.request("evm_mine");
    expect(error).to.include({ code: 4 });
    expect(error?.message).to.match(/^No block has 0x[0-9a-f]{64} yet/);
  });

  it("reports missing ether, a low fee and little gas in words that viem and ethers recognize", async () => {
    const [nonce, gas] = [0, 30_000n];
    const poor = privateKeyToAccount(`0x${"12".repeat(32)}`);
    const fees = { maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 0n };
    const provider = new JsonRpcProvider(chain.rpcUrl, 31_337, { staticNetwork: true });
    for (const [sender, fields, name] of [
      [poor, { nonce, gas, ...fees }, "InsufficientFundsError"],
      [account, { gas, ...fees, maxFeePerGas: 1n }, "FeeCapTooLowError"],
      [account, { gas: 20_000n, ...fees }, "IntrinsicGasTooLowError"],
    ] as const) {
      const wallet = createWalletClient({ account: sender, chain: hardhat, transport: http(chain.rpcUrl) });
      const error = await wallet.sendTransaction({ to: ADDRESS, ...fields }).catch((thrown: unknown) => thrown);
      expect((error as { cause?: unknown }).cause, name).to.include({ name });
    }
    const poorSigner = new Wallet(`0x${"12".repeat(32)}`, provider);
    for (const gasLimit of [null, gas]) {
      const error = await poorSigner.sendTransaction({ to: ADDRESS, value: 1n, gasLimit }).catch((thrown) => thrown);
      expect(error).to.include({ code: "INSUFFICIENT_FUNDS" });
    }
    provider.destroy();
  });

  it("lets viem watch events after the node has forgotten its filters", async () => {
    const client = createPublicClient({ chain: hardhat, transport: http(chain.rpcUrl), pollingInterval: 10 });
    let seen = 0;
    let errors = 0;
    const stop = client.watchEvent({
      address: ADDRESS,
      events: parseAbi(["event Called()"]),
      onLogs: (logs) => {
        seen += logs.length;
      },
      onError: () => {
        errors += 1;
      },
    });
    const send = () => post("eth_sendTransaction", [{ from: account.address, to: ADDRESS }]);
    const sendUntilSeen = (count: number) => waitUntil(async () => (await send()) && seen > count);
    await sendUntilSeen(0);
    const last = Number((await post("eth_newBlockFilter", [])).result);
    for (let id = 1; id < last; id++) await post("eth_uninstallFilter", [`0x${id.toString(16)}`]);
    await waitUntil(() => errors > 0);
    await sendUntilSeen(seen);
    stop();
    expect(await post("eth_getFilterLogs", ["0xffff"])).to.have.nested.include({ "error.message": "filter not found" });
  });

  it("names a wrong block, not the method", async () => {
    for (const [method, params] of [
      ["eth_getBalance", [ADDRESS, "Newest"]],
      ["eth_call", [{ to: ADDRESS }, "1"]],
      ["eth_getBlockByNumber", ["", false]],
      ["eth_getLogs", [{ fromBlock: "1" }]],
      ["eth_newFilter", [{ toBlock: "head" }]],
      ["eth_feeHistory", ["0x1", "newest", []]],
      ["debug_traceBlockByNumber", ["last"]],
    ] as const) {
      const { error } = await post(method, params);
      expect(error, method).to.include({ code: -32_602 });
      expect(error?.message).to.match(new RegExp(`^Expected a block for ${method}: .*, received "\\w*"$`));
    }
  });

  it("numbers the pending block for ethers, mines with Ganache's options, and ignores web3.js's password", async () => {
    const before = Number((await post("eth_blockNumber", [])).result);
    expect((await post("eth_getBlockByNumber", ["pending", false])).result).to.include({
      number: `0x${(before + 1).toString(16)}`,
    });
    await post("evm_mine", [{ blocks: 2 }]);
    await post("evm_mine", [{ timestamp: 4_000_000_000 }]);
    expect((await post("eth_getBlockByNumber", ["latest", false])).result).to.include({
      number: `0x${(before + 3).toString(16)}`,
      timestamp: "0xee6b2800",
    });
    expect((await post("evm_mine", [{ blocks: 2, timestamp: 4_100_000_000 }])).error?.message).to.include("both");
    const signed = await post("personal_sign", ["0x1234", account.address, "password"]);
    expect(signed).to.deep.equal(await post("personal_sign", ["0x1234", account.address]));
    expect(signed.result).to.match(/^0x/);
  });

  it("rejects blob transactions, which a restart would lose", async () => {
    const commitment = `0xc0${"00".repeat(47)}` as const;
    const blobVersionedHashes = [`0x01${sha256(commitment).slice(4)}`] as const;
    const sidecars = [{ blob: `0x${"00".repeat(131_072)}`, commitment, proof: commitment }] as const;
    const nonce = Number((await post("eth_getTransactionCount", [account.address, "latest"])).result);
    const fields = { nonce, to: ADDRESS, gas: 100_000n, maxFeePerGas: 10n ** 10n, maxFeePerBlobGas: 10n } as const;
    const blob = { type: "eip4844", chainId: 31_337, blobVersionedHashes, ...fields } as const;
    for (const [method, transaction] of [
      ["eth_sendRawTransaction", await account.signTransaction({ ...blob, sidecars })],
      ["eth_sendRawTransactionSync", await account.signTransaction(blob)],
      ["eth_sendTransaction", { from: account.address, to: ADDRESS, blobVersionedHashes }],
    ] as const) {
      const { error } = await post(method, [transaction]);
      expect(error, method).to.include({ code: -32_004 });
      expect(error?.message).to.match(/^A blob transaction \(EIP-4844\) is not supported/);
    }
  });

  it("survives every number that a client sends", async () => {
    const from = account.address;
    const numbers = ["0x0", 2n ** 53n - 1n, 2n ** 63n, 2n ** 64n - 1n, 2n ** 128n - 1n, 2n ** 256n - 1n];
    for (const value of numbers.map((number) => (typeof number === "string" ? number : numberToHex(number)))) {
      for (const field of ["value", "gas", "gasPrice", "maxFeePerGas", "maxPriorityFeePerGas", "nonce"])
        for (const method of ["eth_call", "eth_estimateGas", "debug_traceCall", "eth_sendTransaction"])
          await post(method, [{ from, to: ADDRESS, [field]: value }]);
      const snapshot = (await post("evm_snapshot", [])).result;
      for (const [method, params] of [
        ["hardhat_setNextBlockBaseFeePerGas", [value]],
        ["hardhat_setBalance", [from, value]],
        ["hardhat_setNonce", [from, value]],
        ["evm_setBlockGasLimit", [value]],
        ["hardhat_mine", ["0x2", value]],
        ["eth_sendTransaction", [{ from, to: ADDRESS }]],
        ["eth_getBlockByNumber", ["pending", false]],
        ["eth_feeHistory", ["0x2", "latest"]],
        ["eth_getLogs", [{ fromBlock: "0x0", toBlock: value }]],
        ["eth_newFilter", [{ fromBlock: "0x0", toBlock: value }]],
      ] as const)
        await post(method, params);
      await post("evm_mine", []);
      expect((await post("evm_revert", [snapshot])).result, value).to.equal(true);
    }
    const { error } = await post("eth_estimateGas", [{ from, to: ADDRESS, value: String(maxUint256) }]);
    expect(error).to.include({ code: -32_602 });
    expect(error?.message).to.match(/^eth_estimateGas: expected at most 2\^255 as value, received "\d+/);
    expect((await post("eth_sendTransaction", [{ from, to: ADDRESS }])).result).to.match(/^0x/);
  });

  it("reads numbers and wildcards as anvil and geth do", async () => {
    const { result: hash } = await post("eth_sendTransaction", [{ from: account.address, to: ADDRESS }]);
    const { blockNumber } = (await post("eth_getTransactionReceipt", [hash])).result as { blockNumber: Hex };
    for (const topics of [[[]], [[null]], [null], []])
      expect((await post("eth_getLogs", [{ fromBlock: blockNumber, topics }])).result, JSON.stringify(topics))
        .to.be.an("array")
        .with.length(1);
    expect((await post("anvil_setBalance", [ADDRESS, 5])).result).to.equal(true);
    expect((await post("eth_getBalance", [ADDRESS, "latest", null])).result).to.equal("0x5");
    expect((await post("evm_mine", [null])).result).to.equal("0");
  });

  it("explains params that the engine cannot read", async () => {
    for (const [method, params, text] of [
      ["eth_getBalance", [], /^Expected params that fit eth_getBalance \(it takes 2\), received "\[\]"$/],
      ["eth_getCode", [ADDRESS, "latest", 1], /\(it takes fewer\), received ".*latest.*1\]"$/],
      ["eth_getLogs", [], /\(it takes 1\), received "\[\]"$/],
      ["eth_getBalance", ["ec400", "latest"], /\(invalid value .*\), received "\[.*ec400/],
      ["eth_sendRawTransaction", [], /^Expected params that fit eth_sendRawTransaction .*, received "\[\]"$/],
      ["eth_sendRawTransaction", [123], /^Expected params that fit eth_sendRawTransaction .*, received "\[123\]"$/],
      ["hardhat_setBalance", [ADDRESS, -1], /^Expected params that fit hardhat_setBalance .*-1/],
    ] as const)
      expect((await post(method, params)).error?.message, method).to.match(text);
  });

  it("rejects subscriptions if it cannot send their events", async () => {
    const { error } = await post("eth_subscribe", ["newHeads"]);
    expect(error?.message).to.match(/needs a WebSocket/);
  });
});
