import { expect } from "chai";
import type { Hex, ListingRow, NewListing, Store } from "../../../backend/ports.ts";
import { ALICE, BOB, hexOf, newListing, T0 } from "./rows.ts";
import { describeStore, race } from "./suite.ts";

const DAY_MS = 86_400_000;
const SIGNATURE: Hex = `0x${"5a".repeat(65)}`;

describeStore("listings", (subject) => {
  const listings = () => subject().store.listings;
  const add = async (change: Partial<NewListing> = {}, store: Store = subject().store): Promise<NewListing> => {
    const listing = newListing(change);
    await store.listings.add(listing, 0);
    return listing;
  };
  const publish = async (change: Partial<NewListing> = {}, atMs = T0): Promise<NewListing> => {
    const listing = await add(change);
    expect(await listings().show(listing.listingId, SIGNATURE, atMs, 100)).to.equal("shown");
    return listing;
  };
  const visible = async (filter: Partial<Parameters<Store["listings"]["listVisible"]>[0]> = {}) => {
    const whole = { collection: null, seller: null, nowMs: T0, deadBeforeMs: T0 - 1, limit: 100 };
    return (await listings().listVisible({ ...whole, ...filter })).map((row) => row.listingId);
  };

  it("begin as drafts that nobody sees", async () => {
    const listing = await add({ tokenId: 2n ** 256n - 1n, price: 2n ** 127n });
    const row: ListingRow = { ...listing, signature: null, visible: false, publishedAtMs: null, deadSinceMs: null };
    expect(await listings().find(listing.listingId)).to.deep.equal(row);
    expect(await listings().find(hexOf("unknown"))).to.equal(null);
    expect(await visible()).to.deep.equal([]);
  });

  it("are shown with their first signature, hidden, and shown again", async () => {
    const { listingId } = await add();
    expect(await listings().show(listingId, null, T0, 100)).to.equal("unknown");
    expect(await listings().show(hexOf("unknown"), SIGNATURE, T0, 100)).to.equal("unknown");
    expect(await listings().show(listingId, SIGNATURE, T0 + 1, 100)).to.equal("shown");
    await listings().hide(listingId);
    expect(await visible()).to.deep.equal([]);
    expect(await listings().show(listingId, "0x1234", T0 + 2, 100)).to.equal("shown");
    expect(await listings().find(listingId)).to.include({
      signature: SIGNATURE,
      visible: true,
      publishedAtMs: T0 + 1,
    });
  });

  it("are at most so many visible ones a seller, whoever is quicker", async () => {
    const drafts = await Promise.all(Array.from({ length: 50 }, () => add()));
    const answers = await race(subject(), (store, index) =>
      store.listings.show(drafts[index]!.listingId, SIGNATURE, T0, 3),
    );
    expect(answers.filter((answer) => answer === "shown")).to.have.length(3);
    expect(answers.filter((answer) => answer === "full")).to.have.length(47);
    expect(await visible()).to.have.length(3);
    const [first] = await visible();
    expect(await listings().show(first!, null, T0, 3), "one that is shown already").to.equal("shown");
    const other = await add({ seller: BOB });
    expect(await listings().show(other.listingId, SIGNATURE, T0, 3)).to.equal("shown");
    const later = await add({ endsAtMs: T0 + 3 * DAY_MS });
    expect(await listings().show(later.listingId, SIGNATURE, T0 + 2 * DAY_MS, 3), "others are over").to.equal("shown");
  });

  it("are found by collection and seller, the last published first, while they are in time", async () => {
    const first = await publish({}, T0);
    const second = await publish({ collection: "flappybots", seller: BOB }, T0 + 1);
    const third = await publish({ collection: "flappybots", endsAtMs: T0 + 10 }, T0 + 2);
    const ids = (...rows: NewListing[]) => rows.map(({ listingId }) => listingId);
    expect(await visible()).to.deep.equal(ids(third, second, first));
    expect(await visible({ limit: 2 })).to.deep.equal(ids(third, second));
    expect(await visible({ collection: "flappybots" })).to.deep.equal(ids(third, second));
    expect(await visible({ seller: BOB })).to.deep.equal(ids(second));
    expect(await visible({ seller: ALICE, collection: "flappybots" })).to.deep.equal(ids(third));
    expect(await visible({ nowMs: T0 + 10 })).to.deep.equal(ids(second, first));
  });

  it("leave the list a while after they were seen dead, and come back when shown again", async () => {
    const { listingId } = await publish();
    await listings().setDead([listingId], T0);
    await listings().setDead([listingId], T0 + 5);
    expect((await listings().find(listingId))?.deadSinceMs, "first sight counts").to.equal(T0);
    expect(await visible({ deadBeforeMs: T0 })).to.deep.equal([listingId]);
    expect(await visible({ deadBeforeMs: T0 + 1 })).to.deep.equal([]);
    await listings().setDead([listingId], null);
    expect(await visible({ deadBeforeMs: T0 + 1 })).to.deep.equal([listingId]);
    await listings().setDead([listingId], T0);
    await listings().show(listingId, null, T0, 100);
    expect(await visible({ deadBeforeMs: T0 + 1 })).to.deep.equal([listingId]);
  });

  it("are listed to their seller, newest first, by pages", async () => {
    const mine = [];
    for (let index = 0; index < 5; index += 1) mine.unshift(await add({ createdAtMs: T0 + index }));
    await add({ seller: BOB });
    const page = async (number: number) => {
      const { items, total } = await listings().listMine({ seller: ALICE, page: number, limit: 2 });
      return { ids: items.map((row) => row.listingId), total };
    };
    const ids = mine.map(({ listingId }) => listingId);
    expect(await page(1)).to.deep.equal({ ids: ids.slice(0, 2), total: 5 });
    expect(await page(3)).to.deep.equal({ ids: ids.slice(4), total: 5 });
  });

  it("forget old drafts of the seller who makes a new one", async () => {
    const draft = await add();
    const shown = await publish();
    const others = await add({ seller: BOB });
    const fresh = newListing({ createdAtMs: T0 + DAY_MS });
    await listings().add(fresh, T0 + 1);
    expect(await listings().find(draft.listingId)).to.equal(null);
    for (const { listingId } of [shown, others, fresh]) expect(await listings().find(listingId)).to.not.equal(null);
  });
});
