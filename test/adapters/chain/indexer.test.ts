import { expect } from "chai";
import type { PrivateKeyAccount } from "viem";
import type { Indexer } from "../../../backend/adapters/chain/indexer/indexer.ts";
import { systemClock } from "../../../backend/adapters/system/clock.ts";
import type { Store } from "../../../backend/ports/store/store.ts";
import { type ChaosNode, startChaosNode } from "../../../testing/chaos/node.ts";
import { openMemoryStore } from "../../../testing/images.ts";
import { registerPlayers, startTestIndexer, useChain, waitFor } from "./chain-fixture.ts";

const [shellrunnersScore, flaps] = ["shellrunners", "flappybots"] as const;

describe("the indexer", () => {
  const fixture = useChain(registerPlayers);
  let open: { readonly indexer: Indexer; readonly store: Store }[];
  let snapshotId: `0x${string}`;

  beforeEach(async () => {
    open = [];
    snapshotId = await fixture.client.snapshot();
  });
  afterEach(async () => {
    for (const { indexer, store } of open) {
      await indexer.stop();
      await store.close();
    }
    await fixture.client.revert({ id: snapshotId });
  });

  const start = async (rpcUrl = fixture.rpcUrl, pollMs = 20) => {
    const store = await openMemoryStore();
    const indexer = startTestIndexer(rpcUrl, fixture.deployment, store, systemClock, pollMs);
    open.push({ indexer, store });
    return { indexer, store };
  };
  const waitForHead = async (indexer: Indexer) => {
    expect(await indexer.waitForBlock(Number(await fixture.client.getBlockNumber()), 10_000)).to.equal(true);
  };
  /** Everything that the store returns about players and games. */
  const readContents = async (store: Store) => {
    const page = { page: 1, limit: 100 };
    return {
      cursor: await store.chain.getCursor(),
      wallets: await Promise.all(
        fixture.players.map(async ({ address }) => ({
          scorebank: await store.chain.getScorebank(address),
          payouts: await store.chain.listPayouts(address, null, page),
        })),
      ),
      nfts: await Promise.all(
        [shellrunnersScore, flaps].flatMap((slug) =>
          [1n, 2n, 3n].map((id) => store.chainFacts.findGameToken(slug, id)),
        ),
      ),
    };
  };
  const equalsFreshSync = async (store: Store): Promise<boolean> => {
    const fresh = await start();
    await waitForHead(fresh.indexer);
    const [expected, found] = await Promise.all([readContents(fresh.store), readContents(store)]);
    return JSON.stringify(expected, stringifyBigint) === JSON.stringify(found, stringifyBigint);
  };
  const stringifyBigint = (_: string, value: unknown) => (typeof value === "bigint" ? value.toString() : value);
  /** The cursor follows the chain even if rows are wrong, so these fail the comparison and not the wait. */
  const expectFreshSync = async (store: Store): Promise<void> => {
    const { hash } = await fixture.client.getBlock();
    await waitFor(async () => (await store.chain.getCursor())?.hash === hash);
    expect(await equalsFreshSync(store)).to.equal(true);
  };
  const runRound = async (round: number) => {
    const [alice, bob] = fixture.players;
    await fixture.actions.snapshot(alice!, shellrunnersScore, 100 + round, round);
    await fixture.actions.snapshot(alice!, flaps, 200 + round, round + 1_000);
    await fixture.actions.snapshot(bob!, flaps, 300 + round, round);
  };

  it("the indexer stores snapshots, payouts and NFTs of each wallet and game", async () => {
    const { indexer, store } = await start();
    const [alice] = fixture.players;
    await runRound(1);
    await fixture.actions.nft("mint", alice!, shellrunnersScore, 1n, 250);
    await fixture.actions.nft("upgrade", alice!, shellrunnersScore, 1n, 950);
    await fixture.client.increaseTime({ seconds: 6 });
    await fixture.actions.payout(alice!);
    await runRound(2);
    await waitForHead(indexer);

    const view = await store.chain.getScorebank(alice!.address);
    expect(view).to.deep.include({ score: 304n, snapshots: 2, byGame: { [shellrunnersScore]: 102n, [flaps]: 202n } });
    const { items, total } = await store.chain.listPayouts(alice!.address, null, { page: 1, limit: 10 });
    expect(total).to.equal(1);
    expect(items[0]).to.deep.include({
      score: 302n,
      amount: 302n * 10n ** 18n,
      byGame: { [shellrunnersScore]: 101n, [flaps]: 201n },
    });
    const token = await store.chainFacts.findGameToken(shellrunnersScore, 1n);
    expect(token).to.deep.equal({ owner: alice!.address, score: 950n, tier: 2 });
    expect(indexer.status()).to.include({ healthy: true, lagBlocks: 0, outageMs: 0 });
  });

  /** The contents of the first dropped block. */
  const DROPPED = {
    snapshot: (alice) => fixture.actions.snapshot(alice, shellrunnersScore, 50, 99),
    mint: (alice) => fixture.actions.nft("mint", alice, shellrunnersScore, 1n, 250),
    payout: (alice) => fixture.actions.payout(alice),
  } satisfies { readonly [event: string]: (alice: PrivateKeyAccount) => Promise<unknown> };

  for (const [event, drop] of Object.entries(DROPPED))
    for (const depth of [1, 2, 5, 10])
      it(`the store equals a fresh sync after a reorganization of depth ${depth} that drops a ${event}`, async () => {
        const { indexer, store } = await start();
        const [alice, bob] = fixture.players;
        await runRound(1);
        await fixture.client.increaseTime({ seconds: 6 });
        await drop(alice!);
        for (let block = 1; block < depth; block++)
          await fixture.actions.snapshot(alice!, shellrunnersScore, 50 + block, 100 + block);
        await waitForHead(indexer);
        const lost = await readContents(store);
        await fixture.chain.request("arcade_reorg", [depth, null]);
        // The other branch is longer and has other events.
        for (let block = 0; block < depth; block++)
          await fixture.actions.snapshot(bob!, flaps, 70 + block, 200 + block);
        await expectFreshSync(store);
        expect(JSON.stringify(await readContents(store), stringifyBigint)).not.to.equal(
          JSON.stringify(lost, stringifyBigint),
        );
      });

  it("the indexer rewinds when the local chain only loses blocks", async () => {
    const { indexer, store } = await start();
    await runRound(1);
    const forkHead = await fixture.client.getBlockNumber();
    await runRound(2);
    await waitForHead(indexer);
    const lost = Number((await fixture.client.getBlockNumber()) - forkHead);
    await fixture.chain.request("anvil_rollback", [lost]);
    await expectFreshSync(store);
  });

  it("the store equals a fresh sync when its last blocks were replaced long before the next start", async () => {
    const { indexer, store } = await start();
    await runRound(1);
    const forkId = await fixture.client.snapshot();
    await runRound(2);
    await waitForHead(indexer);
    await indexer.stop();
    await fixture.client.revert({ id: forkId });
    await fixture.actions.snapshot(fixture.players[1]!, flaps, 70, 200);
    await fixture.client.mine({ blocks: 200 });
    open.push({ indexer: startTestIndexer(fixture.rpcUrl, fixture.deployment, store), store });
    await expectFreshSync(store);
  });

  it("the indexer reads a long history in chunks", async () => {
    await runRound(1);
    await fixture.client.mine({ blocks: 2_200 });
    await runRound(2);
    const { indexer, store } = await start();
    await waitForHead(indexer);
    expect((await store.chain.getScorebank(fixture.players[0]!.address)).snapshots).to.equal(4);
  });

  it("the indexer continues where the last process stopped", async () => {
    const first = await start();
    await runRound(1);
    await waitForHead(first.indexer);
    await first.indexer.stop();
    await runRound(2);
    const again = startTestIndexer(fixture.rpcUrl, fixture.deployment, first.store);
    open.push({ indexer: again, store: await openMemoryStore() });
    await waitForHead(again);
    expect(await equalsFreshSync(first.store)).to.equal(true);
  });

  describe("on a node that fails", () => {
    let node: ChaosNode;
    beforeEach(async () => {
      node = await startChaosNode({ to: fixture.rpcUrl });
    });
    afterEach(() => node.close());

    it("the indexer reports an outage, and catches up when it is over", async () => {
      const { indexer, store } = await start(node.url);
      await waitForHead(indexer);
      node.fail("status 503");
      await waitFor(() => indexer.status().outageMs > 0);
      expect(indexer.status().healthy).to.equal(false);
      await runRound(1);
      node.fail(null);
      await waitForHead(indexer);
      expect(indexer.status()).to.include({ healthy: true, outageMs: 0 });
      expect(await equalsFreshSync(store)).to.equal(true);
    });

    it("the indexer survives a node that fails repeatedly", async () => {
      const { indexer, store } = await start(node.url);
      for (let round = 1; round <= 5; round++) {
        node.fail("status 503", { times: round });
        await runRound(round);
      }
      await waitForHead(indexer);
      expect(await equalsFreshSync(store)).to.equal(true);
    });
  });

  it("waitForBlock resolves to false for a block that is not mined in time", async () => {
    const { indexer } = await start();
    expect(await indexer.waitForBlock(1_000_000, 30)).to.equal(false);
  });

  it("polls within a second for those who wait, once for all of them, however seldom it polls otherwise", async () => {
    const { indexer } = await start(fixture.rpcUrl, 60_000);
    await waitForHead(indexer);
    await indexer.waitForHead(5_000);
    let polls = 0;
    indexer.onIndexed(() => {
      polls += 1;
    });
    await fixture.client.mine({ blocks: 1 });
    await Promise.all([indexer.waitForNextPoll(), indexer.waitForNextPoll(), indexer.waitForNextPoll()]);
    expect(indexer.storedHead?.number).to.equal(Number(await fixture.client.getBlockNumber()));
    expect(polls).to.equal(1);
  });

  it("waits for a chain's announcement, and for no later poll", async () => {
    const { indexer } = await start(fixture.rpcUrl, 60_000);
    await waitForHead(indexer);
    await fixture.client.mine({ blocks: 1 });
    indexer.announceChange();
    await indexer.waitForNextPoll();
    expect(indexer.storedHead?.number).to.equal(Number(await fixture.client.getBlockNumber()));
    await indexer.waitForNextPoll();
  });
});
