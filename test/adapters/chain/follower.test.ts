import { expect } from "chai";
import type { Follower } from "../../../backend/adapters/chain/follower/follower.ts";
import type { Store } from "../../../backend/ports.ts";
import { startFaultyNode } from "./faulty-node.ts";
import { eventually, follow, openMemoryStore, startWorld, type World } from "./world.ts";

const [shells, flaps] = ["shellrunners", "flappybots"] as const;

describe("the chain follower", function () {
  this.timeout(30_000);
  let world: World;
  let open: { readonly follower: Follower; readonly store: Store }[];
  let snapshotId: `0x${string}`;

  before(async () => {
    world = await startWorld();
    for (const player of world.players) await world.act.register(player);
  });
  after(() => world.close());
  beforeEach(async () => {
    open = [];
    snapshotId = await world.client.snapshot();
  });
  afterEach(async () => {
    for (const { follower, store } of open) {
      await follower.stop();
      await store.close();
    }
    await world.client.revert({ id: snapshotId });
  });

  const start = async (rpcUrl = world.rpcUrl) => {
    const store = await openMemoryStore();
    const follower = follow(rpcUrl, world.deployment, store);
    open.push({ follower, store });
    return { follower, store };
  };
  const catchUp = async (follower: Follower) => {
    expect(await follower.caughtUp(Number(await world.client.getBlockNumber()), 10_000)).to.equal(true);
  };
  /** All that the store tells of players and games. */
  const contents = async (store: Store) => {
    const page = { page: 1, limit: 100 };
    return {
      cursor: await store.chain.cursor(),
      wallets: await Promise.all(
        world.players.map(async ({ address }) => ({
          scorebank: await store.chain.scorebank(address),
          payouts: await store.chain.payouts(address, null, page),
        })),
      ),
      nfts: await Promise.all(
        [shells, flaps].flatMap((slug) => [1n, 2n, 3n].map((id) => store.chain.nftEvents(slug, id))),
      ),
    };
  };
  const isLikeFresh = async (store: Store): Promise<boolean> => {
    const fresh = await start();
    await catchUp(fresh.follower);
    const [expected, found] = await Promise.all([contents(fresh.store), contents(store)]);
    return JSON.stringify(expected, toText) === JSON.stringify(found, toText);
  };
  const toText = (_: string, value: unknown) => (typeof value === "bigint" ? value.toString() : value);
  const play = async (round: number) => {
    const [alice, bob] = world.players;
    await world.act.snapshot(alice!, shells, 100 + round, round);
    await world.act.snapshot(alice!, flaps, 200 + round, round + 1_000);
    await world.act.snapshot(bob!, flaps, 300 + round, round);
  };

  it("stores snapshots, payouts and NFTs of each wallet and game", async () => {
    const { follower, store } = await start();
    const [alice] = world.players;
    await play(1);
    await world.act.nft("mint", alice!, shells, 1n, 250);
    await world.act.nft("upgrade", alice!, shells, 1n, 950);
    await world.client.increaseTime({ seconds: 6 });
    await world.act.payout(alice!);
    await play(2);
    await catchUp(follower);

    const view = await store.chain.scorebank(alice!.address);
    expect(view).to.deep.include({ score: 304n, snapshots: 2, byGame: { [shells]: 102n, [flaps]: 202n } });
    const { items, total } = await store.chain.payouts(alice!.address, null, { page: 1, limit: 10 });
    expect(total).to.equal(1);
    expect(items[0]).to.deep.include({
      score: 302n,
      amount: 302n * 10n ** 18n,
      byGame: { [shells]: 101n, [flaps]: 201n },
    });
    const nft = await store.chain.nftEvents(shells, 1n);
    expect(nft.map(({ name, score, tier }) => ({ name, score, tier }))).to.deep.equal([
      { name: "GameNftUpgraded", score: 950n, tier: 2 },
      { name: "GameNftMinted", score: 250n, tier: 1 },
    ]);
    expect(follower.status()).to.include({ healthy: true, lagBlocks: 0, outageMs: 0 });
  });

  for (const depth of [1, 2, 5, 10]) {
    it(`is equal to a fresh sync after a reorganization of depth ${depth}`, async () => {
      const { follower, store } = await start();
      await play(1);
      const forkId = await world.client.snapshot();
      for (let block = 0; block < depth; block++)
        await world.act.snapshot(world.players[0]!, shells, 50 + block, 100 + block);
      await catchUp(follower);
      const lost = await contents(store);
      await world.client.revert({ id: forkId });
      // The other branch is longer and says something else.
      for (let block = 0; block <= depth; block++)
        await world.act.snapshot(world.players[1]!, flaps, 70 + block, 200 + block);
      await eventually(() => isLikeFresh(store));
      expect(JSON.stringify(await contents(store), toText)).not.to.equal(JSON.stringify(lost, toText));
    });
  }

  it("goes back when the local chain only loses blocks", async () => {
    const { follower, store } = await start();
    await play(1);
    const forkId = await world.client.snapshot();
    await play(2);
    await catchUp(follower);
    await world.client.revert({ id: forkId });
    await eventually(() => isLikeFresh(store));
  });

  it("syncs a long history in pieces", async () => {
    await play(1);
    await world.client.mine({ blocks: 2_200 });
    await play(2);
    const { follower, store } = await start();
    await catchUp(follower);
    expect((await store.chain.scorebank(world.players[0]!.address)).snapshots).to.equal(4);
  });

  it("goes on where the last process stopped", async () => {
    const first = await start();
    await play(1);
    await catchUp(first.follower);
    await first.follower.stop();
    await play(2);
    const again = follow(world.rpcUrl, world.deployment, first.store);
    open.push({ follower: again, store: await openMemoryStore() });
    await catchUp(again);
    expect(await isLikeFresh(first.store)).to.equal(true);
  });

  it("tells of an outage, and catches up when it is over", async () => {
    const node = await startFaultyNode(world.rpcUrl);
    try {
      const { follower, store } = await start(node.url);
      await catchUp(follower);
      node.setFault("error-502");
      await eventually(() => follower.status().outageMs > 0);
      expect(follower.status().healthy).to.equal(false);
      await play(1);
      node.setFault("none");
      await catchUp(follower);
      expect(follower.status()).to.include({ healthy: true, outageMs: 0 });
      expect(await isLikeFresh(store)).to.equal(true);
    } finally {
      node.close();
    }
  });

  it("survives a node that fails again and again in between", async () => {
    const node = await startFaultyNode(world.rpcUrl);
    try {
      const { follower, store } = await start(node.url);
      for (let round = 1; round <= 5; round++) {
        node.failNext(round);
        await play(round);
      }
      await catchUp(follower);
      expect(await isLikeFresh(store)).to.equal(true);
    } finally {
      node.close();
    }
  });

  it("answers false for a block that does not come in time", async () => {
    const { follower } = await start();
    expect(await follower.caughtUp(1_000_000, 30)).to.equal(false);
  });
});
