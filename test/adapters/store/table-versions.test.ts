import { expect } from "chai";
import { openStore } from "../../../backend/adapters/store/open-store.ts";
import { findWrittenTables } from "../../../backend/adapters/store/table-versions.ts";
import { createTempDatabase, describeStore } from "./suite.ts";

const WALLET = `0x${"11".repeat(20)}` as const;
const PROFILE = {
  wallet: WALLET,
  agentName: "Pinch",
  bio: "",
  links: [],
  image: null,
  services: [],
  updatedAtMs: 1,
};

describeStore("the versions of tables", (store) => {
  it("a version grows with a write of its tables, and stays at reads and at writes of others", async () => {
    const before = store.standings.getVersion();
    await store.telemetry.list({ afterEventId: null, limit: 1 });
    await store.newsletter.add({ email: "agent@example.org", createdAtMs: 1 });
    expect(store.standings.getVersion()).to.equal(before);
    await store.identities.putProfile(PROFILE as never);
    expect(store.standings.getVersion()).to.be.greaterThan(before);
    const after = store.sessions.getVersion();
    await store.sessions.claimOpen();
    expect(store.sessions.getVersion()).to.be.greaterThan(after);
  });

  it("a read after a change of the version returns the new rows", async () => {
    for (let round = 0; round < 20; round += 1) {
      const before = store.standings.getVersion();
      let isDone = false;
      const writing = store.identities.putProfile({ ...PROFILE, agentName: `Pinch ${round}` } as never).then(() => {
        isDone = true;
      });
      while (store.standings.getVersion() === before) await new Promise((resolve) => setImmediate(resolve));
      const row = await store.identities.findProfile(WALLET);
      expect(row?.agentName, `written: ${isDone}`).to.equal(`Pinch ${round}`);
      await writing;
    }
  });
});

describe("the versions of tables", () => {
  it("another connection's commit changes the version of every table by the next turn of the event loop", async () => {
    const database = createTempDatabase();
    const [store, other] = [await openStore(database), await openStore(database)];
    const before = store.standings.getVersion();
    await other.newsletter.add({ email: "agent@example.org", createdAtMs: 1 });
    await new Promise((resolve) => setImmediate(resolve));
    expect(store.standings.getVersion()).to.be.greaterThan(before);
    await store.close();
    await other.close();
    database.remove();
  });

  it("the written tables are read from the statement, those of common table expressions included", () => {
    for (const [sql, ...tables] of [
      ['insert into "standings" ("board") values (?)', "standings"],
      ['insert into "standings" values (?) on conflict ("board") do update set "score" = 1', "standings"],
      ["INSERT OR IGNORE INTO board_totals values (1)", "board_totals"],
      ["\n    update sessions\n    set tick = 1", "sessions"],
      ['delete from "profiles" where 1', "profiles"],
      ["with a as (select 1) delete from profiles", "profiles"],
      ["delete from nonces where ctid in (select ctid from nonces for update skip locked)", "nonces"],
      ['with "a" as (update "sessions" set "tick" = 1) insert into "tokens" values (1)', "sessions", "tokens"],
      ['with "a" as (delete from "sessions" returning "id") select * from "a"', "sessions"],
      ["with a as (select 1) select 1 from a"],
      ["select 1 from sessions for update of sessions"],
      ["create table sessions (id)"],
    ] as const)
      expect(findWrittenTables(sql), sql).to.deep.equal(tables);
  });
});
