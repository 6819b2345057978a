/** Moves the store to PostgreSQL. */
import { copyStore, StoreCopyError } from "../../backend/app/copy-store.ts";
import { defineCommand } from "../cli/command.ts";
import { CommandError, UsageError } from "../cli/failures.ts";
import { readServiceConfig } from "../cli/service-config.ts";

const copy = defineCommand({
  name: "store copy",
  summary: "copies the SQLite store of a stopped service into an empty PostgreSQL database, and compares both",
  flags: { to: { type: "string", value: "URL", help: "postgres://USER@HOST/DATABASE" } },
  examples: ["npm run admin -- store copy --to postgres://arcade@10.0.0.5/arcade"],
  notes: [
    "Afterwards start the service with ARCADE_DATABASE_URL set to the same URL; the file stays as it is.",
    "The password may come from PGPASSWORD or a password file instead of the URL.",
  ],
  async run({ flags: { to } }, terminal) {
    if (to === undefined) throw new UsageError("--to: expected postgres://USER@HOST/DATABASE");
    try {
      const tables = await copyStore(readServiceConfig().databaseUrl, to);
      const rows = tables.reduce((sum, table) => sum + table.rows, 0);
      for (const table of tables) terminal.print(`${table.table}: ${table.rows} rows, ${table.digest.slice(0, 16)}`);
      terminal.print(`Copied ${rows} rows of ${tables.length} tables; number and digest of each table are the same.`);
      return { rows, tables };
    } catch (cause) {
      if (cause instanceof StoreCopyError) throw new CommandError(cause.message, { cause });
      throw cause;
    }
  },
});

export const STORE_COMMANDS = [copy];
