/** The most entries of a table. A full one is emptied, since some tables outlive the runs that fill them. */
const KEPT_MAX = 500;

/** The table's entry for this key, created if it is missing. */
export function keep<T>(table: Map<string, T>, key: string, make: () => T): T {
  const known = table.get(key);
  if (known !== undefined) return known;
  const value = make();
  if (table.size === KEPT_MAX) table.clear();
  table.set(key, value);
  return value;
}
