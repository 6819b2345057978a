import { expect } from "chai";
import type { Hex } from "viem";
import type { ListingRow, NewListing } from "../../../../backend/ports/store/market.ts";
import type { Store } from "../../../../backend/ports/store/store.ts";
import { DAY_MS } from "../../../../domain/time.ts";
import { ALICE, BASE_TIME_MS, BOB, createListing, hashText } from "../rows.ts";
import { describeStore } from "../suite.ts";

const SIGNATURE: Hex = `0x${"5a".repeat(65)}`;

describeStore("listings", (store, { runConcurrently }) => {
  type Named = Pick<ListingRow, "listingId">;
  const add = async (change: Partial<NewListing> = {}): Promise<NewListing> => {
    const listing = createListing(change);
    await store.listings.add(listing, 0);
    return listing;
  };
  const show = ({ listingId }: Named, signature: Hex | null = SIGNATURE, atMs = BASE_TIME_MS, most = 100) =>
    store.listings.show(listingId, signature, atMs, most);
  const publish = async (change: Partial<NewListing> = {}, atMs = BASE_TIME_MS): Promise<NewListing> => {
    const listing = await add(change);
    expect(await show(listing, SIGNATURE, atMs)).to.equal("shown");
    return listing;
  };
  const find = ({ listingId }: Named) => store.listings.find(listingId);
  const ids = (...rows: readonly Named[]) => rows.map(({ listingId }) => listingId);
  const visible = async (query: Partial<Parameters<Store["listings"]["listOffered"]>[0]> = {}) => {
    const filter = { collection: null, seller: null, sorting: "recent" } as const;
    const page = { nowMs: BASE_TIME_MS, page: 1, limit: 100 };
    return ids(...(await store.listings.listOffered({ ...filter, ...page, ...query })).items);
  };
  const toCheck = async (filter: Partial<Parameters<Store["listings"]["listToCheck"]>[0]> = {}) => {
    const whole = { afterId: null, nowMs: BASE_TIME_MS, deadBeforeMs: BASE_TIME_MS - 1, limit: 100 };
    return ids(...(await store.listings.listToCheck({ ...whole, ...filter })));
  };

  it("begin as drafts that no list shows", async () => {
    const listing = await add({ tokenId: 2n ** 256n - 1n, price: 2n ** 127n });
    const row: ListingRow = { ...listing, signature: null, visible: false, publishedAtMs: null, deadSinceMs: null };
    expect(await find(listing)).to.deep.equal(row);
    expect(await store.listings.find(hashText("unknown"))).to.equal(null);
    expect(await visible()).to.deep.equal([]);
  });

  it("are shown with their first signature, hidden, and shown again", async () => {
    const listing = await add();
    expect(await show(listing, null)).to.equal("unknown");
    expect(await show({ listingId: hashText("unknown") })).to.equal("unknown");
    expect(await show(listing, SIGNATURE, BASE_TIME_MS + 1)).to.equal("shown");
    await store.listings.hide(listing.listingId);
    expect(await visible()).to.deep.equal([]);
    expect(await show(listing, "0x1234", BASE_TIME_MS + 2)).to.equal("shown");
    const shown = { signature: SIGNATURE, visible: true, publishedAtMs: BASE_TIME_MS + 1 };
    expect(await find(listing)).to.include(shown);
  });

  it("are limited in number for each seller, even with simultaneous calls", async () => {
    const drafts = await Promise.all(Array.from({ length: 50 }, () => add()));
    const results = await runConcurrently(({ listings }, index) =>
      listings.show(drafts[index]!.listingId, SIGNATURE, BASE_TIME_MS, 3),
    );
    for (const [result, count] of [
      ["shown", 3],
      ["full", 47],
    ] as const)
      expect(results.filter((each) => each === result)).to.have.length(count);
    const [first, ...others] = await visible();
    expect(others).to.have.length(2);
    const showAsFourth = (listing: Named, atMs = BASE_TIME_MS) => show(listing, SIGNATURE, atMs, 3);
    expect(await showAsFourth({ listingId: first! }), "one that is shown already").to.equal("shown");
    expect(await showAsFourth(await add({ seller: BOB }))).to.equal("shown");
    const later = await add({ endsAtMs: BASE_TIME_MS + 3 * DAY_MS });
    expect(await showAsFourth(later, BASE_TIME_MS + 2 * DAY_MS), "others are over").to.equal("shown");
  });

  it("are found by collection and seller until they expire, the last published first", async () => {
    const first = await publish({}, BASE_TIME_MS);
    const second = await publish({ collection: "flappybots", seller: BOB }, BASE_TIME_MS + 1);
    const third = await publish({ collection: "flappybots", endsAtMs: BASE_TIME_MS + 10 }, BASE_TIME_MS + 2);
    expect(await visible()).to.deep.equal(ids(third, second, first));
    expect(await visible({ limit: 2 })).to.deep.equal(ids(third, second));
    expect(await visible({ limit: 2, page: 2 })).to.deep.equal(ids(first));
    expect(await visible({ collection: "flappybots" })).to.deep.equal(ids(third, second));
    expect(await visible({ seller: BOB })).to.deep.equal(ids(second));
    expect(await visible({ seller: ALICE, collection: "flappybots" })).to.deep.equal(ids(third));
    expect(await visible({ nowMs: BASE_TIME_MS + 10 })).to.deep.equal(ids(second, first));
  });

  it("leave the list some time after they become unfillable, and return when shown again", async () => {
    const listing = await publish();
    const { listingId } = listing;
    const setDeadSince = (ms: number | null) => store.listings.setDeadSince([listingId], ms);
    await setDeadSince(BASE_TIME_MS);
    await setDeadSince(BASE_TIME_MS + 5);
    expect((await find(listing))?.deadSinceMs, "first sight counts").to.equal(BASE_TIME_MS);
    expect(await toCheck({ deadBeforeMs: BASE_TIME_MS })).to.deep.equal([listingId]);
    expect(await toCheck({ deadBeforeMs: BASE_TIME_MS + 1 })).to.deep.equal([]);
    await setDeadSince(null);
    expect(await toCheck({ deadBeforeMs: BASE_TIME_MS + 1 })).to.deep.equal([listingId]);
    await setDeadSince(BASE_TIME_MS);
    await store.listings.setFillable([listingId], false);
    expect(await visible()).to.deep.equal([]);
    await show(listing, null);
    expect(await toCheck({ deadBeforeMs: BASE_TIME_MS + 1 })).to.deep.equal([listingId]);
    expect(await visible()).to.deep.equal([listingId]);
  });

  it("of one seller and token are shown one at a time: the newer one replaces the other", async () => {
    const first = await publish({ tokenId: 77n });
    const others = [
      await publish({ tokenId: 77n, seller: BOB }, BASE_TIME_MS + 1),
      await publish({ tokenId: 77n, contract: BOB }, BASE_TIME_MS + 2),
      await publish({ tokenId: 78n }, BASE_TIME_MS + 3),
    ];
    const second = await publish({ tokenId: 77n }, BASE_TIME_MS + 4);
    expect(await visible()).to.deep.equal(ids(second, ...others.toReversed()));
    expect(await find(first)).to.include({ visible: false, signature: SIGNATURE });
    await show(first, null, BASE_TIME_MS + 5);
    expect(await visible()).to.deep.equal(ids(...others.toReversed(), first));
    expect(await show(second, null, BASE_TIME_MS + 6, 3), "it takes no further place").to.equal("shown");
  });

  it("are sorted by the store, the last published first in a tie, then the lower id", async () => {
    const [cheap, dear] = [await publish({ price: 9n }), await publish({ price: 10n ** 20n })];
    const token = await publish({ price: 1n, currency: BOB });
    const ending = await publish({ price: 10n, endsAtMs: BASE_TIME_MS + 10 }, BASE_TIME_MS + 1);
    const tie = (...rows: NewListing[]) => ids(...rows).sort();
    expect(await visible({ sorting: "price" })).to.deep.equal(ids(cheap, ending, dear, token));
    expect(await visible({ sorting: "priceDesc" })).to.deep.equal(ids(dear, ending, cheap, token));
    expect(await visible({ sorting: "endsAt" })).to.deep.equal([...ids(ending), ...tie(cheap, dear, token)]);
    expect(await visible({ sorting: "recent" })).to.deep.equal([...ids(ending), ...tie(cheap, dear, token)]);
  });

  it("wait for their check in the order of their ids, with and without a buyer", async () => {
    const rows = [await publish(), await publish(), await publish()];
    const sorted = ids(...rows).sort();
    await store.listings.setFillable([sorted[1]!], false);
    expect(await toCheck()).to.deep.equal(sorted);
    expect(await toCheck({ limit: 2 })).to.deep.equal(sorted.slice(0, 2));
    expect(await toCheck({ afterId: sorted[0]!, limit: 1 })).to.deep.equal([sorted[1]]);
    expect((await visible()).sort()).to.deep.equal([sorted[0], sorted[2]]);
  });

  it("can be bought or not one by one, however often that is stored", async () => {
    const sorted = ids(await publish(), await publish(), await publish()).sort();
    const [first, second, third] = sorted as [Hex, Hex, Hex];
    for (const [changed, isFillable, expected] of [
      [[], false, sorted],
      [[first, second], false, [third]],
      [[first, second], false, [third]],
      [[second], true, [second, third]],
      [[second, third], true, [second, third]],
      [[first], true, sorted],
    ] as const) {
      await store.listings.setFillable(changed, isFillable);
      expect((await visible()).sort()).to.deep.equal(expected);
    }
  });

  it("are returned to their seller in pages, newest first", async () => {
    const mine: NewListing[] = [];
    for (let index = 0; index < 5; index += 1) mine.unshift(await add({ createdAtMs: BASE_TIME_MS + index }));
    await add({ seller: BOB });
    for (const [page, rows] of [
      [1, mine.slice(0, 2)],
      [3, mine.slice(4)],
    ] as const) {
      const { items, total } = await store.listings.listMine({ seller: ALICE, page, limit: 2 });
      expect([ids(...items), total]).to.deep.equal([ids(...rows), 5]);
    }
  });

  it("lose a seller's old drafts when the seller creates a new one", async () => {
    const draft = await add();
    const others = [await publish(), await add({ seller: BOB })];
    const fresh = createListing({ createdAtMs: BASE_TIME_MS + DAY_MS });
    await store.listings.add(fresh, BASE_TIME_MS + 1);
    expect(await find(draft)).to.equal(null);
    for (const listing of [...others, fresh]) expect(await find(listing)).to.not.equal(null);
  });
});
