import { expect } from "chai";
import { Client } from "pg";
import { openStore } from "../../../backend/adapters/store/open-store.ts";
import type { Store } from "../../../backend/ports/store/store.ts";
import { describePostgres } from "../../helpers/postgres.ts";
import { TestClock } from "../../helpers/test-clock.ts";
import { waitUntil } from "../../helpers/wait-until.ts";
import { silentLog } from "../chain/chain-fixture.ts";
import { usePostgresStores } from "./postgres-stores.ts";
import { createChannelToken, createTokens } from "./rows.ts";
import { type StallingProxy, startStallingProxy } from "./stalling-proxy.ts";
import { getRejection, TEST_LEASE_MS } from "./suite.ts";

describePostgres("connections to PostgreSQL", function () {
  this.timeout(30_000);
  const getDatabase = usePostgresStores();
  let proxy: StallingProxy;
  let store: Store;
  const clock = new TestClock();
  beforeEach(async () => {
    proxy = await startStallingProxy(getDatabase().databaseUrl);
    const node = { clock, log: silentLog, url: null, isExclusive: false, leaseMs: TEST_LEASE_MS };
    store = await openStore({ databaseUrl: proxy.databaseUrl, node });
    getDatabase().stores.push(store);
  });
  afterEach(() => proxy.close());

  it("a token that another process revokes is rejected although the notifications' connection is dead", async () => {
    const other = await getDatabase().open();
    const { access, refresh } = createTokens("family");
    await store.auth.addTokens({ access, refresh });
    expect(await store.auth.findAccessToken(access.tokenHash)).to.include({ revokedAtMs: null });
    expect(proxy.stall("listen arcade_written_tables")).to.equal(1);
    await other.auth.revoke({ familyId: "family" }, 7);
    await waitUntil(async () => {
      // A commit, as each renewal of a lease.
      await store.probe();
      return (await store.auth.findAccessToken(access.tokenHash))?.revokedAtMs === 7;
    });
    // It listens on another connection then, and keeps rows again.
    await waitUntil(() => {
      const version = store.standings.getVersion();
      return store.standings.getVersion() === version;
    });
  });

  it("a lock whose connection is dead is asked for on another one, and the store closes", async () => {
    const { indexer } = store.singletons;
    const ask = (): boolean => {
      clock.advance(500);
      return indexer.isHeld();
    };
    await waitUntil(ask);
    expect(proxy.stall("pg_try_advisory_lock")).to.be.greaterThan(0);
    clock.advance(2_000);
    expect(indexer.isHeld()).to.equal(false);
    await waitUntil(ask);
  });

  it("a write that waits too long for a connection behind another one gets STORAGE_BUSY", async () => {
    const holder = new Client({ connectionString: getDatabase().databaseUrl });
    await holder.connect();
    await holder.query("begin; lock table subscribers in access exclusive mode");
    const blocked = store.newsletter.add({ email: "agent@example.org", createdAtMs: 1 });
    try {
      // The transaction of `blocked` has the connection for writes before it is asked for again.
      await store.channelTokens.find("unknown");
      expect(await getRejection(store.channelTokens.add(createChannelToken()))).to.include({ code: "STORAGE_BUSY" });
    } finally {
      await holder.end();
    }
    await blocked;
  });
});
