import { expect } from "chai";
import type { RpcError } from "../../local-chain/rpc-error.ts";
import { alice, bob, readChainState, recipient, useLocalChains } from "./run-chains.ts";

describe("reorganizations, snapshots and methods of other nodes on the local chain", () => {
  const { start, stop } = useLocalChains();

  it("a reorganization keeps, moves or loses transactions, and a restart finds its blocks", async () => {
    const { chain, client } = await start();
    const outer = await client.snapshot();
    const send = (value: bigint) => client.sendTransaction({ account: alice!, to: recipient, value });
    const [kept, lost] = [await send(1n), await send(2n)];
    const before = await client.getBlock();
    for (const lose of [lost, [1], ["0x12"], {}]) {
      const error = await chain.request("arcade_reorg", [2, lose]).catch((cause: unknown) => cause);
      expect((error as RpcError).message).to.match(/Expected a list of transaction hashes to lose/);
    }
    for (const placed of [5, [5], [["0x00", 2]], [["0x00", -1]]]) {
      const error = await chain.request("anvil_reorg", [2, placed]).catch((cause: unknown) => cause);
      expect((error as RpcError).message).to.match(/Expected a list of \[transaction, index below the depth\]/);
    }
    expect((await client.getBlock()).hash).to.equal(before.hash);
    await chain.request("arcade_reorg", [2, [lost.replace(/[a-f]/g, (digit) => digit.toUpperCase())]]);
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

  it("a reorganization loses transactions that had waited in the mempool before their block", async () => {
    const { client, chain } = await start();
    await client.setAutomine(false);
    const lost = await client.sendTransaction({ account: alice!, to: recipient, value: 1n });
    await client.mine({ blocks: 1 });
    await chain.request("anvil_reorg", [1, []]);
    await client.mine({ blocks: 1 });
    expect(await client.getTransactionReceipt({ hash: lost }).catch((error) => error.name)).to.match(/NotFound/);
  });

  it("a snapshot survives a later reorganization", async () => {
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
    // Anvil's interval is in seconds, and at most an hour.
    expect(await chain.request("anvil_setIntervalMining", [3_601]).catch(({ code }) => code)).to.equal(-32_602);
    expect(await chain.request("anvil_setIntervalMining", [0])).to.equal(true);
    expect(await client.getBalance({ address: recipient })).to.equal(6n);
    await chain.request("evm_setAccountBalance", [recipient, "0x7"]);
    expect(await client.getBalance({ address: recipient })).to.equal(7n);
    // As in viem's request, with an empty object for the chain to fork.
    await client.reset();
    expect(await client.getBlockNumber()).to.equal(0n);
    const tooEarly = await chain.request("anvil_reorg", [1, []]).catch(({ message }) => message);
    expect(tooEarly).to.equal("Expected blocks mined since the last start, reset or load, received 1");
    await client.mine({ blocks: 1 });
    for (const forking of [{ jsonRpcUrl: chain.rpcUrl }, { blockNumber: 5n }]) {
      const refusal = await client.reset(forking).catch((error) => error.details);
      expect(refusal).to.match(/Expected no chain or block to fork/);
    }
    expect(await client.getBlockNumber()).to.equal(1n);
    expect(await chain.request("net_listening")).to.equal(true);
    // web3.js, and viem's test client in the mode of Ganache.
    expect(await chain.request("eth_mining")).to.equal(true);
    expect(await chain.request("eth_hashrate")).to.equal("0x0");
    expect(await chain.request("eth_getUncleCountByBlockNumber", ["latest"])).to.equal("0x0");
    expect(await chain.request("eth_getUncleByBlockNumberAndIndex", ["latest", "0x0"])).to.equal(null);
    // Where scripts of Foundry find the factory of `new X{salt: …}`.
    expect(await chain.request("eth_getCode", ["0x4e59b44847b379578588920cA78FbF26c0B4956C"])).to.have.lengthOf(140);
    const missing = [
      ...["eth_simulateV1", "eth_createAccessList", "eth_fillTransaction", "eth_sendUnsignedTransaction"],
      ...["debug_getRawTransaction", "debug_traceBlock"],
      ...["anvil_dumpState", "anvil_setChainId", "anvil_nodeInfo", "anvil_addBalance", "anvil_dealERC20"],
      ...["anvil_mineDetailed", "hardhat_setBlockTimestampInterval", "hardhat_setRpcUrl", "trace_block", "evm_setTime"],
    ];
    for (const method of missing) {
      const error = (await chain.request(method).catch((cause: unknown) => cause)) as RpcError;
      expect(error.code, method).to.equal(-32_004);
      expect(error.message, method).to.match(new RegExp(`^${method} is not supported: .*\\w`));
    }
  });

  it("evm_revert removes the reverted blocks from the journal", async () => {
    const { chain, client } = await start();
    await client.sendTransaction({ account: alice!, to: recipient, value: 5n });
    const id = await client.snapshot();
    await client.sendTransaction({ account: alice!, to: recipient, value: 6n });
    // The states before blocks are not snapshots of a caller.
    for (const other of ["0x1", 1, "0xffff"])
      expect(await chain.request("evm_revert", [other]), String(other)).to.equal(false);
    // Some libraries send the id as a number.
    expect(await chain.request("evm_revert", [Number(id)])).to.equal(true);
    for (const params of [[1.5], [2, 0.5], [2, -1], ["two"], [10_001]])
      expect(await chain.request("hardhat_mine", params).catch(({ code }) => code), String(params)).to.equal(-32_602);
    await client.sendTransaction({ account: bob!, to: recipient, value: 7n });
    const before = await readChainState(client);
    await stop(chain);
    expect(await readChainState((await start()).client)).to.deep.equal(before);
  });
});
