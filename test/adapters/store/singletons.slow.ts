import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import type { Singletons } from "../../../backend/ports/store/nodes.ts";
import type { Store } from "../../../backend/ports/store/store.ts";
import { describePostgres } from "../../helpers/postgres.ts";
import { TestClock } from "../../helpers/test-clock.ts";
import { usePostgresStores } from "./postgres-stores.ts";
import { createNodeOptions, withStore } from "./suite.ts";

describePostgres("work that one of several backends does", () => {
  const clock = new TestClock();
  const database = usePostgresStores();
  beforeEach(async () => {
    for (let count = 0; count < 2; count++) await database.open({ node: createNodeOptions({ clock }) });
  });

  const isHeldBy = (store: Store, name: keyof Singletons): boolean => store.singletons[name].isHeld();
  const listHolders = (name: keyof Singletons): readonly Store[] =>
    database.stores.filter((store) => isHeldBy(store, name));
  /** Lets both request their locks until one holds this one. */
  const waitForHolder = async (name: keyof Singletons): Promise<Store> => {
    while (listHolders(name).length === 0) await ask();
    return listHolders(name)[0]!;
  };
  const ask = async (): Promise<void> => {
    clock.advance(500);
    await sleep(5);
  };

  it("is done by one of them, and by the other after the first has closed", async () => {
    for (const name of ["indexer", "transactions", "retention", "league"] as const) {
      await waitForHolder(name);
      for (let round = 0; round < 20; round++) await ask();
      await waitForHolder(name);
      expect(listHolders(name), name).to.have.length(1);
    }
    const holder = await waitForHolder("indexer");
    const { stores } = database;
    stores.splice(stores.indexOf(holder), 1);
    await holder.close();
    expect(isHeldBy(holder, "indexer")).to.equal(false);
    expect(await waitForHolder("indexer")).to.equal(stores[0]);
  });

  it("stops at once when the holder's connection is lost, and continues on one of them", async () => {
    const holder = await waitForHolder("transactions");
    await database.query(
      "select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and granted and objid = 1",
    );
    // The clock does not advance, so only the end of the connection can show it.
    while (isHeldBy(holder, "transactions")) await sleep(5);
    await waitForHolder("transactions");
    expect(listHolders("transactions")).to.have.length(1);
  });

  it("does not count as held when the database has not answered for 2 s", async () => {
    const holder = await waitForHolder("indexer");
    clock.advance(2_000);
    expect(isHeldBy(holder, "indexer")).to.equal(false);
  });

  it("is done by none on a standby, which grants locks too", async () => {
    await waitForHolder("indexer");
    // Every connection now seems to lead to a standby.
    const name = new URL(database.databaseUrl).pathname.slice(1);
    await database.query(`alter database ${name} set search_path = public, pg_catalog`);
    await database.query("create function pg_is_in_recovery() returns boolean language sql as 'select true'");
    await database.query("select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid()");
    for (let round = 0; round < 20; round++) await ask();
    expect(listHolders("indexer")).to.have.length(0);
    await database.query("drop function public.pg_is_in_recovery()");
    await waitForHolder("indexer");
  });

  it("is always done by the only backend", async () => {
    await withStore(async (store) => void expect(isHeldBy(store, "indexer")).to.equal(true));
  });
});
