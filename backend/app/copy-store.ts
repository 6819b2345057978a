/** Moves the store to another engine. Part of the composition root. */
import { existsSync } from "node:fs";
import { copyToPostgres, StoreCopyError, type TableFacts } from "../adapters/store/copy-store.ts";
import { openStore } from "../adapters/store/open-store.ts";
import { findSqliteFile } from "../adapters/store/sqlite-file.ts";
import { systemClock } from "../adapters/system/clock.ts";
import { createLog } from "../adapters/system/log.ts";

export { StoreCopyError } from "../adapters/store/copy-store.ts";

/**
 * Copies the SQLite store of a stopped service into an empty database on PostgreSQL, whose tables it creates. Returns
 * the number and the digest of each table's rows, which are the same in both. Throws `StoreCopyError`.
 */
export async function copyStore(sourceUrl: string, targetUrl: string): Promise<readonly TableFacts[]> {
  const file = findSqliteFile(sourceUrl);
  if (file === null || !existsSync(file))
    throw new StoreCopyError("There is no SQLite database to copy; set ARCADE_DATA_DIR or ARCADE_DATABASE_URL to it.");
  if (findSqliteFile(targetUrl) !== null) throw new StoreCopyError("Expected postgres://HOST/DATABASE as the target.");
  const clock = systemClock;
  const log = createLog("error");
  const onWait = ({ processId }: { readonly processId: number }): never => {
    throw new StoreCopyError(`The service works on the database (process ${processId}); stop it first.`);
  };
  // No backend can use either database during the copy, and both have the newest tables.
  const source = await openStore({ databaseUrl: sourceUrl, lease: { clock, log, onWait } });
  try {
    const target = await openStore({ databaseUrl: targetUrl, node: { clock, log, url: null, isExclusive: true } });
    try {
      return await copyToPostgres(sourceUrl, targetUrl);
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}
