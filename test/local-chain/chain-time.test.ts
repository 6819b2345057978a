import { readFile, writeFile } from "node:fs/promises";
import { expect } from "chai";
import type { RpcError } from "../../local-chain/rpc-error.ts";
import { alice, recipient, useLocalChains } from "./run-chains.ts";

describe("the clock of the local chain", () => {
  const { start, stop, getJournal } = useLocalChains();
  const { now } = Date;
  afterEach(() => {
    Date.now = now;
  });

  it("is the wall clock plus its offset, and never goes back", async () => {
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

  it("includes the time between two runs", async () => {
    await stop((await start()).chain);
    const header = JSON.parse((await readFile(getJournal(), "utf8")).split("\n")[0]!);
    await writeFile(getJournal(), `${JSON.stringify({ ...header, genesisAt: header.genesisAt - 86_400 })}\n`);
    const { client } = await start();
    await client.mine({ blocks: 1 });
    expect(Number((await client.getBlock()).timestamp) - Date.now() / 1_000).to.be.within(-10, 20);
  });

  it("does not run ahead in a burst of transactions", async () => {
    const { client } = await start();
    const first = await client.getBlock();
    for (let value = 0n; value < 40n; value++) await client.sendTransaction({ account: alice!, to: recipient, value });
    const last = await client.getBlock();
    expect(last.number).to.equal(first.number + 40n);
    expect(Number(last.timestamp)).to.be.at.most(Math.ceil(Date.now() / 1_000) + 1);
  });

  it("keeps up with the wall clock after evm_revert", async () => {
    const { chain, client } = await start();
    await client.increaseTime({ seconds: 3_600 });
    const id = await client.snapshot();
    Date.now = () => now() + 3_000;
    await client.revert({ id });
    expect(await chain.request("evm_increaseTime", []).catch(({ code }) => code)).to.equal(-32_602);
    const getAheadSeconds = async () => Number((await client.getBlock()).timestamp) - Date.now() / 1_000;
    await client.mine({ blocks: 1 });
    expect(await getAheadSeconds()).to.be.within(3_598, 3_601);
    await chain.request("evm_increaseTime", [100]);
    await client.sendTransaction({ account: alice!, to: recipient, value: 1n });
    expect(await getAheadSeconds()).to.be.within(3_698, 3_701);
  });

  it("evm_setNextBlockTimestamp works after evm_revert, which forgets an earlier one", async () => {
    const { chain, client } = await start();
    const readTime = async () => Number((await client.getBlock()).timestamp);
    const startedAt = await readTime();
    const requests: readonly (readonly [string, readonly unknown[]])[] = [
      ["evm_mine", []],
      ["hardhat_mine", []],
      ["eth_sendTransaction", [{ from: alice!.address, to: recipient }]],
    ];
    for (const [method, params] of requests) {
      const id = await client.snapshot();
      await chain.request("evm_setNextBlockTimestamp", [startedAt + 9_000]);
      await client.revert({ id });
      const again = await client.snapshot();
      await chain.request(method, params);
      expect(await readTime(), method).to.be.within(startedAt, startedAt + 300);
      await client.revert({ id: again });
      await chain.request("evm_setNextBlockTimestamp", [startedAt + 5_000]);
      await chain.request("evm_increaseTime", [60]);
      expect(await chain.request("evm_setNextBlockTimestamp", [1]).catch(({ code }) => code)).to.equal(-32_000);
      const ahead = await client.snapshot();
      await chain.request(method, params);
      expect(await readTime(), method).to.equal(startedAt + 5_000);
      await client.revert({ id: ahead });
    }
  });

  it("a time at which programs break is rejected, but not the second before it", async () => {
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
});
