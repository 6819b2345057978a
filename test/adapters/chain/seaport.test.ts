import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SeaportABI } from "@opensea/seaport-js/lib/abi/Seaport.js";
import { expect } from "chai";
import { type Abi, type AbiFunction, hashTypedData, toFunctionSignature } from "viem";
import { type LocalChain, startLocalChain } from "../../../backend/adapters/chain/local-chain.ts";
import { createRpc } from "../../../backend/adapters/chain/rpc.ts";
import { createMarketReader } from "../../../backend/adapters/chain/seaport.ts";
import { seaportAbi } from "../../../backend/adapters/chain/seaport-abi.ts";
import { systemClock } from "../../../backend/adapters/clock.ts";
import { makeOrder, NATIVE_COIN } from "../../../backend/domain/market.ts";
import { games } from "../../../backend/games/index.ts";
import { deployLocal } from "../../../deploy/deploy.ts";
import type { DeploymentRecord } from "../../../deploy/record.ts";
import { testAccounts } from "./accounts.ts";
import { testKeys } from "./world.ts";

const SELLER = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";

describe("the market's reader", function () {
  this.timeout(30_000);
  let dataDir: string;
  let chain: LocalChain;
  let deployment: DeploymentRecord;

  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "arcade-market-"));
    chain = await startLocalChain({ dataDir, port: 0, whenBusy: "fail", accounts: testAccounts });
    const path = join(dataDir, "deployment.json");
    ({ deployment } = await deployLocal({
      rpcUrl: chain.rpcUrl,
      keys: testKeys,
      path,
      publicUrl: "http://127.0.0.1:1",
      games,
    }));
  });
  after(async () => {
    await chain.close();
    await rm(dataDir, { recursive: true });
  });

  const open = (change: Partial<DeploymentRecord> = {}) => {
    const rpc = createRpc({ rpcUrl: chain.rpcUrl, chainId: deployment.chainId, clock: systemClock });
    return { rpc, market: createMarketReader({ rpc, deployment: { ...deployment, ...change } }) };
  };
  const orderOf = (tokenId: bigint) =>
    makeOrder({
      seller: SELLER,
      contract: deployment.identity,
      tokenId,
      price: 2n ** 128n - 1n,
      currency: NATIVE_COIN,
      royalty: null,
      counter: 0n,
      salt: tokenId,
      startTime: 1,
      endTime: 2,
    });

  it("asks Seaport what the package's ABI holds", () => {
    const known = (SeaportABI as Abi).filter((item): item is AbiFunction => item.type === "function");
    const signatures = known.map(toFunctionSignature);
    for (const item of seaportAbi)
      if (item.type === "function") expect(signatures).to.include(toFunctionSignature(item));
  });

  it("looks at 300 orders with at most two requests", async () => {
    const { rpc, market } = open();
    const orders = Array.from({ length: 300 }, (_, index) => orderOf(BigInt(index))).map((order) => ({
      listingId: market.hashOf(order),
      order,
    }));
    const head = Number(await rpc.guard((client) => client.getBlockNumber()));
    const send = globalThis.fetch;
    let requests = 0;
    globalThis.fetch = (input, init) => {
      if (String(input).startsWith(chain.rpcUrl)) requests += 1;
      return send(input, init);
    };
    try {
      const facts = await market.orderFacts(orders, head);
      const nobody = { owner: null, isApproved: false, counter: 0n, isCancelled: false, isFilled: false };
      expect(facts).to.deep.equal(orders.map(() => nobody));
    } finally {
      globalThis.fetch = send;
    }
    // One for the orders; the chain id, where it is due again, makes it two.
    expect(requests).to.be.at.most(2);
    expect(await market.orderFacts([], head)).to.deep.equal([]);
  });

  it("finds no royalty where a collection asks for none or knows none", async () => {
    const { market } = open();
    const sale = { tokenId: 1n, seller: SELLER, price: 2n ** 128n - 1n } as const;
    for (const contract of [deployment.identity, deployment.token] as const)
      expect(await market.saleFacts({ ...sale, contract })).to.deep.equal({
        owner: null,
        isApproved: false,
        counter: 0n,
        royalty: null,
      });
    const { royalty } = await market.saleFacts({ ...sale, contract: deployment.nft.shellrunners! });
    expect(royalty?.amount).to.equal((sale.price * 250n) / 10_000n);
  });

  it("makes the digest that a seller signs out of the order's hash", () => {
    const { market } = open();
    const typedData = market.typedDataOf(orderOf(7n)) as unknown as Parameters<typeof hashTypedData>[0];
    expect(market.digestOf(market.hashOf(orderOf(7n)))).to.equal(hashTypedData(typedData));
  });

  it("takes no signature that Seaport does not", async () => {
    const { market } = open();
    for (const signature of ["0x", `0x${"00".repeat(65)}`, `0x${"5a".repeat(64)}1b`, "0x1234"] as const)
      expect(await market.isSigned(orderOf(1n), signature)).to.equal(false);
  });

  it("says that there is no market where there is none", () => {
    const { market } = open({ market: null });
    expect(market.address).to.equal(null);
    expect(() => market.typedDataOf(orderOf(1n))).to.throw(/no market/);
  });
});
