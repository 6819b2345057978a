import { expect } from "chai";
import { type Hex, numberToHex } from "viem";
import { BlockSync } from "../../../backend/adapters/chain/indexer/block-sync.ts";
import type { Header, LatestBlock } from "../../../backend/adapters/chain/indexer/fetch.ts";
import type { Store } from "../../../backend/ports/store/store.ts";
import { openMemoryStore } from "../../../testing/images.ts";
import { TestClock } from "../../helpers/test-clock.ts";
import { silentLog } from "./chain-fixture.ts";

const DELAY_MS = 10_000;
const PUBLIC_CHAIN = 137;

/** Blocks without events; those above a fork have other hashes. */
class FakeChain {
  readonly #branches: { readonly from: number; readonly name: number }[] = [{ from: -1, name: 0 }];

  fork(from: number): void {
    this.#branches.push({ from, name: this.#branches.length });
  }

  toHeader(number: number): Header {
    const header = { hash: this.#toHash(number), parentHash: this.#toHash(number - 1), timestamp: BigInt(number) };
    return { ...header, transactions: [] } as unknown as Header;
  }

  toLatest(number: number): LatestBlock {
    const header = this.toHeader(number);
    return { number, hash: header.hash, timestamp: number, header };
  }

  #toHash(number: number): Hex {
    const { name } = this.#branches.findLast(({ from }) => number >= from)!;
    return numberToHex(1_000_000 * name + number + 1, { size: 32 });
  }
}

describe("syncing blocks", () => {
  let store: Store;
  beforeEach(async () => {
    store = await openMemoryStore();
  });
  afterEach(() => store.close());

  function open() {
    const chain = new FakeChain();
    const clock = new TestClock();
    const counts = { stored: 0, mayWrite: true };
    const node = { logs: [] as object[], rangeReads: 0 };
    const client = {
      getBlock: async ({ blockNumber }: { readonly blockNumber: bigint }) => chain.toHeader(Number(blockNumber)),
      getLogs: async () => {
        node.rangeReads += 1;
        return node.logs;
      },
    };
    const rpc = {
      chainId: PUBLIC_CHAIN,
      withDeadline: async (run: (client: never) => unknown) => run(client as never),
    };
    const address = numberToHex(1, { size: 20 });
    const sync = new BlockSync({
      rpc: rpc as never,
      deployment: { chainId: PUBLIC_CHAIN, startBlock: 1, identity: address, rewards: address, nft: {} } as never,
      store: store.chain,
      clock,
      log: silentLog,
      mayWrite: () => counts.mayWrite,
      onStored: () => {
        counts.stored += 1;
      },
    });
    return { chain, clock, counts, node, sync };
  }

  it("counts a change only when the last stored block is another one", async () => {
    const { chain, counts, sync } = open();
    expect(sync.indexedBlock).to.equal(null);
    expect(await sync.advance(chain.toLatest(0)), "before the deployment").to.equal(null);
    expect({ block: sync.indexedBlock, writes: sync.writes, ...counts }).to.include({
      block: null,
      writes: 0,
      stored: 0,
    });
    expect(await sync.advance(chain.toLatest(3))).to.equal(null);
    expect({ block: sync.indexedBlock, writes: sync.writes, ...counts }).to.include({ block: 3, writes: 1, stored: 1 });
    expect(await sync.advance(chain.toLatest(3))).to.equal(null);
    expect({ block: sync.indexedBlock, writes: sync.writes, ...counts }).to.include({ block: 3, writes: 1, stored: 2 });
    expect(await sync.advance(chain.toLatest(4))).to.equal(null);
    expect({ block: sync.indexedBlock, writes: sync.writes, ...counts }).to.include({ block: 4, writes: 2, stored: 3 });
  });

  it("reads blocks again once, and keeps them if they are still on the chain", async () => {
    const { chain, clock, node, sync } = open();
    await sync.advance(chain.toLatest(3));
    expect(await sync.readAgain(), "not due yet").to.equal(false);
    expect(node.rangeReads).to.equal(0);
    clock.advance(DELAY_MS);
    expect(await sync.readAgain()).to.equal(false);
    expect(node.rangeReads).to.equal(1);
    expect({ block: sync.indexedBlock, writes: sync.writes }).to.deep.equal({ block: 3, writes: 1 });
    expect(await sync.readAgain()).to.equal(false);
    expect(node.rangeReads).to.equal(1);
  });

  it("returns to the last common block when the chain was reorganized", async () => {
    const { chain, sync } = open();
    await sync.advance(chain.toLatest(5));
    chain.fork(4);
    expect(await sync.advance(chain.toLatest(5)), "as long as before").to.equal("more");
    expect(sync.indexedBlock).to.equal(3);
    expect(await sync.advance(chain.toLatest(5))).to.equal(null);
    expect((await store.chain.getCursor())?.hash).to.equal(chain.toLatest(5).hash);
    chain.fork(5);
    expect(await sync.advance(chain.toLatest(7)), "longer than before").to.equal("more");
    expect(sync.indexedBlock).to.equal(4);
  });

  it("keeps the blocks that another backend has stored while this one was paused", async () => {
    const { chain, sync } = open();
    await sync.advance(chain.toLatest(5));
    chain.fork(4);
    // The other backend follows the reorganization between this one's last read of the chain and its write.
    const other = open();
    other.chain.fork(4);
    const { rewind } = store.chain;
    let rewinds = 0;
    store.chain.rewind = async (...args) => {
      rewinds += 1;
      if (rewinds === 1) while ((await other.sync.advance(chain.toLatest(6))) === "more");
      return await rewind(...args);
    };
    expect(await sync.advance(chain.toLatest(5))).to.equal("more");
    expect(rewinds).to.equal(2);
    expect(await store.chain.getCursor()).to.include({ number: 6, hash: chain.toLatest(6).hash });
    expect(sync.indexedBlock).to.equal(5);
    expect(await sync.advance(chain.toLatest(6))).to.equal(null);
    expect(sync.indexedBlock).to.equal(6);
  });

  it("keeps its blocks when a public chain is only shorter, as on a node that lags", async () => {
    const { chain, clock, sync } = open();
    await sync.advance(chain.toLatest(5));
    for (let polls = 0; polls < 3; polls++) {
      expect(await sync.advance(chain.toLatest(4))).to.equal(null);
      clock.advance(DELAY_MS);
    }
    expect((await store.chain.getCursor())?.number).to.equal(5);
  });

  it("throws on another chain, unless all stored blocks may have been reorganized", async () => {
    for (const [stored, code] of [
      [65, null],
      [66, "CHAIN_UNAVAILABLE"],
    ] as const) {
      await store.chain.rewind(0);
      const { chain, sync } = open();
      while ((await sync.advance(chain.toLatest(stored))) === "more");
      chain.fork(0);
      const result = await sync.advance(chain.toLatest(stored)).then(
        () => null,
        (error) => error.code,
      );
      expect(result, String(stored)).to.equal(code);
      expect((await store.chain.getCursor())?.number ?? null).to.equal(code === null ? null : stored);
    }
  });

  it("follows the store while another backend writes it", async () => {
    const { chain, counts, sync } = open();
    counts.mayWrite = false;
    expect(await sync.advance(chain.toLatest(0)), "before the deployment").to.equal(null);
    expect(await sync.advance(chain.toLatest(2))).to.equal("behind");
    expect(sync.indexedBlock).to.equal(null);
    const other = open();
    await other.sync.advance(chain.toLatest(2));
    expect(await sync.advance(chain.toLatest(2))).to.equal(null);
    expect(sync.indexedBlock).to.equal(2);
    expect(await sync.advance(chain.toLatest(3))).to.equal("behind");
    expect({ block: sync.indexedBlock, writes: sync.writes }).to.deep.equal({ block: 2, writes: 1 });
    const { hash } = chain.toLatest(2);
    expect(await sync.readFollowed(undefined)).to.deep.equal({ number: 2, hash, timestamp: 2 });
    expect(await sync.readFollowed(hash), "known").to.equal(null);
    chain.fork(2);
    expect(await sync.readFollowed(undefined), "replaced").to.equal(null);
  });
});
