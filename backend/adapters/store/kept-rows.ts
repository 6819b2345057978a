/** The most rows of one kind that are kept; beyond it the oldest are removed. */
const ROWS_MAX = 10_000;

/**
 * Keeps what `read` has found for each key (null: nothing) while `getVersion` stays the same. The version is read before
 * the row, so that a change in between makes it out of date at once.
 */
export function keepRows<Row>(
  getVersion: () => number,
  read: (key: string) => Promise<Row | null>,
): (key: string) => Promise<Row | null> {
  const rows = new Map<string, Row | null>();
  let keptVersion = getVersion();
  return async (key) => {
    const version = getVersion();
    // safeguard: forget-rows-after-write
    if (version !== keptVersion) rows.clear();
    keptVersion = version;
    const kept = rows.get(key);
    if (kept !== undefined) return kept;
    const row = await read(key);
    if (version !== keptVersion) return row;
    rows.set(key, row);
    if (rows.size > ROWS_MAX) rows.delete(rows.keys().next().value!);
    return row;
  };
}
