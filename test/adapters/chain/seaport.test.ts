import { SeaportABI } from "@opensea/seaport-js/lib/abi/Seaport.js";
import * as seaportPackage from "@opensea/seaport-js/lib/constants.js";
import { expect } from "chai";
import { type Abi, type AbiFunction, hashTypedData, toFunctionSignature } from "viem";
import { seaportAbi } from "../../../backend/adapters/chain/seaport/abi.ts";
import { SeaportReader } from "../../../backend/adapters/chain/seaport/seaport.ts";
import type { Deployment } from "../../../backend/ports/chain.ts";
import { createOrder, NATIVE_COIN } from "../../../domain/market.ts";
import { ORDER_TYPES, SEAPORT_NAME, SEAPORT_VERSION } from "../../../domain/seaport.ts";
import { watchNode } from "../../helpers/watch-node.ts";
import { createTestRpc, useChain } from "./chain-fixture.ts";

const SELLER = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";

describe("the constants of Seaport 1.6", () => {
  it("the constants equal those of Seaport's own package", () => {
    expect(ORDER_TYPES).to.deep.equal(seaportPackage.EIP_712_ORDER_TYPE);
    expect(SEAPORT_NAME).to.equal(seaportPackage.SEAPORT_CONTRACT_NAME);
    expect(SEAPORT_VERSION).to.equal(seaportPackage.SEAPORT_CONTRACT_VERSION_V1_6);
  });
});

describe("the market's reader", () => {
  const fixture = useChain();

  const open = (change: Partial<Deployment> = {}) => {
    const rpc = createTestRpc(fixture.rpcUrl);
    return { rpc, market: new SeaportReader({ rpc, deployment: { ...fixture.deployment, ...change } }) };
  };
  const createTestOrder = (tokenId: bigint) =>
    createOrder({
      seller: SELLER,
      contract: fixture.deployment.identity,
      tokenId,
      price: 2n ** 128n - 1n,
      currency: NATIVE_COIN,
      royalty: null,
      counter: 0n,
      salt: tokenId,
      startTime: 1,
      endTime: 2,
    });

  it("the reader's ABI is a part of the ABI of Seaport's package", () => {
    const known = (SeaportABI as Abi).filter((item): item is AbiFunction => item.type === "function");
    const signatures = known.map(toFunctionSignature);
    for (const item of seaportAbi)
      if (item.type === "function") expect(signatures).to.include(toFunctionSignature(item));
  });

  it("the reader reads 300 orders with at most two requests", async () => {
    const { rpc, market } = open();
    const orders = Array.from({ length: 300 }, (_, index) => createTestOrder(BigInt(index))).map((order) => ({
      listingId: market.hashOrder(order),
      order,
    }));
    const head = Number(await rpc.withDeadline((client) => client.getBlockNumber()));
    let requests = 0;
    const stopWatching = watchNode(fixture.rpcUrl, () => {
      requests += 1;
    });
    try {
      const states = await market.getOrderStates(orders, head);
      const unknownState = { owner: null, isApproved: false, counter: 0n, isCancelled: false, isFilled: false };
      expect(states).to.deep.equal(orders.map(() => unknownState));
    } finally {
      stopWatching();
    }
    // One for the orders; the chain id, if it is due again, makes it two.
    expect(requests).to.be.within(1, 2);
    expect(await market.getOrderStates([], head)).to.deep.equal([]);
  });

  it("the royalty is null for a collection without royalties", async () => {
    const { market } = open();
    const { deployment } = fixture;
    const sale = { tokenId: 1n, seller: SELLER, price: 2n ** 128n - 1n } as const;
    for (const contract of [deployment.identity, deployment.token] as const)
      expect(await market.getSaleState({ ...sale, contract })).to.deep.equal({
        owner: null,
        isApproved: false,
        counter: 0n,
        royalty: null,
      });
    const { royalty } = await market.getSaleState({ ...sale, contract: deployment.nft.shellrunners! });
    expect(royalty?.amount).to.equal((sale.price * 250n) / 10_000n);
  });

  it("the digest is computed from the order's hash", () => {
    const { market } = open();
    const typedData = market.toTypedData(createTestOrder(7n)) as unknown as Parameters<typeof hashTypedData>[0];
    expect(market.toDigest(market.hashOrder(createTestOrder(7n)))).to.equal(hashTypedData(typedData));
  });

  it("a signature is valid only when Seaport accepts it", async () => {
    const { market } = open();
    for (const signature of ["0x", `0x${"00".repeat(65)}`, `0x${"5a".repeat(64)}1b`, "0x1234"] as const)
      expect(await market.isValidOrderSignature(createTestOrder(1n), signature)).to.equal(false);
  });

  it("the reader throws on a chain without a market", () => {
    const { market } = open({ market: null });
    expect(market.address).to.equal(null);
    expect(() => market.toTypedData(createTestOrder(1n))).to.throw(/no market/);
  });
});
