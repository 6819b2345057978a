/** Our side: the service's store, whose writes of one moment share a commit. */
import { openStore } from "../../../backend/adapters/store/open-store.ts";
import { serveSide } from "../endpoint/side.ts";
import { createRow, type DurableOptions, serveWrites } from "./writes.ts";

serveSide<DurableOptions>(async ({ databaseFile }) => {
  const store = await openStore({ databaseUrl: `sqlite:${databaseFile}` });
  return serveWrites((key) => store.signings.record(createRow(key)));
});
