/** The idle side: it answers at once and stores nothing. */
import { openStore } from "../../../backend/adapters/store/open-store.ts";
import { serveSide } from "../endpoint/side.ts";
import { type DurableOptions, serveWrites } from "./writes.ts";

serveSide<DurableOptions>(async ({ databaseFile }) => {
  await openStore({ databaseUrl: `sqlite:${databaseFile}` });
  return serveWrites(async () => undefined);
});
