import { expect } from "chai";
import { sql } from "kysely";
import { MIGRATIONS, type Migrations } from "../../../backend/adapters/store/migrations/index.ts";
import { openStore, type StoreOptions } from "../../../backend/adapters/store/open-store.ts";
import type { ProfileRow } from "../../../backend/ports/store/identity.ts";
import { describePostgres } from "../../helpers/postgres.ts";
import { usePostgresStores } from "./postgres-stores.ts";
import { ALICE, BASE_TIME_MS } from "./rows.ts";
import { createTempDatabase, getRejection } from "./suite.ts";

const PROFILE: ProfileRow = {
  ...{ wallet: ALICE, agentName: "Pinch", bio: "snaps", links: [], image: null, services: [] },
  updatedAtMs: BASE_TIME_MS,
};

/** The next version of the program, which moves one column. */
const moveBios: Migrations[string] = {
  async up(db) {
    await db.schema.alterTable("profiles").addColumn("motto", "text").execute();
    await sql`update profiles set motto = bio, bio = ''`.execute(db);
  },
};
const NEXT: Migrations = { ...MIGRATIONS, "0002-mottos": moveBios };
const BROKEN: Migrations = {
  ...NEXT,
  "0003-broken": {
    up: () => {
      throw new Error("a migration failed");
    },
  },
};

type Open = (options?: Partial<StoreOptions>) => ReturnType<typeof openStore>;

function declareTests(open: Open): void {
  /** Opens and closes the store. Returns the migrations that ran, and the stored bio. */
  async function reopen(options: Partial<StoreOptions> = {}) {
    const ran: string[] = [];
    const store = await open({ ...options, onMigration: (name) => void ran.push(name) });
    const { bio } = (await store.identities.findProfile(ALICE)) ?? {};
    await store.close();
    return { ran, bio };
  }

  beforeEach(async () => {
    const store = await open();
    await store.identities.putProfile(PROFILE);
    await store.close();
  });

  it("runs missing migrations once, and keeps the rows", async () => {
    expect(await reopen()).to.deep.equal({ ran: [], bio: "snaps" });
    expect(await reopen({ migrations: NEXT })).to.deep.equal({ ran: ["0002-mottos"], bio: "" });
    expect(await reopen({ migrations: NEXT })).to.deep.equal({ ran: [], bio: "" });
  });

  it("changes nothing when one of several fails", async () => {
    const error = await getRejection(open({ migrations: BROKEN }));
    expect(error.message).to.equal("a migration failed");
    expect(await reopen()).to.deep.equal({ ran: [], bio: "snaps" });
  });

  it("rejects a database of a newer version", async () => {
    await reopen({ migrations: NEXT });
    expect((await getRejection(open())).message).to.include("0002-mottos");
  });
}

describe("migrations on SQLite", () => {
  let folder: ReturnType<typeof createTempDatabase>;
  beforeEach(() => {
    folder = createTempDatabase();
  });
  afterEach(() => folder.remove());

  declareTests((options) => openStore({ databaseUrl: folder.databaseUrl, ...options }));
});

describePostgres("migrations on PostgreSQL", () => {
  const database = usePostgresStores();

  declareTests((options) => openStore({ databaseUrl: database.databaseUrl, ...options }));
});
