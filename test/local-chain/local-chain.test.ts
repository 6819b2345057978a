import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFile, readFile } from "node:fs/promises";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { createWalletClient, type Hex, http, toHex } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { hardhat } from "viem/chains";
import { WebSocket } from "ws";
import type { LocalChain } from "../../local-chain/local-chain.ts";
import { RpcError } from "../../local-chain/rpc-error.ts";
import { createChainClient } from "../adapters/chain/chain-fixture.ts";
import { alice, bob, readChainState, recipient, sendMixedTransactions, useLocalChains } from "./run-chains.ts";

describe("the local chain", () => {
  const { start, stop, leaveChain, getJournal, getDataDir } = useLocalChains();
  const openSocket = async ({ rpcUrl }: LocalChain): Promise<WebSocket> => {
    const socket = new WebSocket(rpcUrl.replace("http", "ws"));
    await once(socket, "open");
    return socket;
  };

  it("a restart finds the same blocks, balances and nonces", async () => {
    const before = await leaveChain();
    const again = await start();
    expect(await readChainState(again.client)).to.deep.equal(before);
    expect(again.chain.restored).to.equal(true);
  });

  it("a restart finds transactions of every type, sent signed, by an unlocked account, or impersonated", async () => {
    const { chain, client } = await start();
    const key = generatePrivateKey();
    const wallet = createWalletClient({
      account: privateKeyToAccount(key),
      chain: hardhat,
      transport: http(chain.rpcUrl),
    });
    const { address } = wallet.account;
    const impersonated = "0x00000000000000000000000000000000000ec401";
    for (const account of [address, impersonated] as const)
      await chain.request("hardhat_setBalance", [account, "0x3635c9adc5dea00000"]);
    await chain.request("hardhat_impersonateAccount", [impersonated]);
    const to = recipient as Hex;
    const accessList = [{ address: to, storageKeys: [] }];
    const authorizationList = [await wallet.signAuthorization({ contractAddress: to, executor: "self", nonce: 4 })];
    await wallet.sendTransactionSync({ to, type: "legacy" });
    await wallet.sendTransactionSync({ to, type: "eip2930", accessList });
    await wallet.sendTransactionSync({ to, type: "eip1559", accessList });
    await wallet.sendTransactionSync({ to, authorizationList });
    for (const from of [alice!.address, impersonated]) {
      await chain.request("eth_sendTransaction", [{ from, to, gasPrice: "0x77359400", accessList }]);
      await chain.request("eth_sendTransaction", [{ from, to, accessList }]);
      const delegating = privateKeyToAccount(generatePrivateKey());
      const { r, s, yParity = 0 } = await delegating.signAuthorization({ address: to, chainId: hardhat.id, nonce: 0 });
      const signed = { chainId: toHex(hardhat.id), address: to, nonce: "0x0", yParity: toHex(yParity), r, s };
      await chain.request("eth_sendTransaction", [{ from, to, authorizationList: [signed] }]);
    }
    const before = await readChainState(client);
    expect(await client.getCode({ address })).to.match(/^0xef0100/);
    await stop(chain);
    const again = await start();
    expect(await readChainState(again.client)).to.deep.equal(before);
    expect(await again.client.getCode({ address })).to.match(/^0xef0100/);
  });

  it("a restart after kill -9 finds the same chain", async () => {
    const program = fileURLToPath(new URL("chain-process.ts", import.meta.url));
    const child = spawn(process.execPath, [program, getDataDir()], { stdio: ["ignore", "pipe", "inherit"] });
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

  it("the faucet funds an address, even after a restart", async () => {
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
    // ethers recognizes these words of geth.
    const message = "the method no_such does not exist/is not available";
    expect((await post('{"id":1,"method":"no_such"}')).error).to.deep.equal({ code: -32_601, message });
    expect(await post('[{"id":1,"method":"eth_chainId"}]')).to.deep.equal([
      { jsonrpc: "2.0", id: 1, result: "0x7a69" },
    ]);
    const socket = await openSocket(chain);
    const closed = once(socket, "close");
    // A frame with reserved bits set, which is a protocol error.
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

  it("subscriptions outlive a reset and a loaded chain, and other filters end", async () => {
    const { chain, client } = await start();
    await chain.request("arcade_saveChain", ["empty"]);
    const filter = await chain.request("eth_newBlockFilter");
    const socket = await openSocket(chain);
    socket.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_subscribe", params: ["newHeads"] }));
    const [subscribed] = await once(socket, "message");
    const id = JSON.parse(String(subscribed)).result;
    for (const [method, params] of [
      ["hardhat_reset", []],
      ["arcade_loadChain", ["empty"]],
    ] as const) {
      await chain.request(method, params);
      const error = await chain.request("eth_getFilterChanges", [filter]).catch(({ message }) => message);
      expect(error, method).to.equal("filter not found");
      expect(await chain.request("eth_newBlockFilter"), method).not.to.equal(id);
      const notified = once(socket, "message", { signal: AbortSignal.timeout(300_000) });
      await client.mine({ blocks: 1 });
      const [notification] = await notified;
      expect(JSON.parse(String(notification)).params.subscription, method).to.equal(id);
    }
  });
});
