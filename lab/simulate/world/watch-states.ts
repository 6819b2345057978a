/** Notes each change of the stored state machines, by triggers that the service does not see. */
import type Database from "better-sqlite3";

/** The state of a row as an expression over `new` or `old`; null for rows without one. */
const MACHINES: { readonly [table: string]: (row: "new" | "old") => string } = {
  transactions: (row) => `${row}.status`,
  payouts: (row) => `${row}.status`,
  transaction_orders: (row) => `iif(${row}.done_at_ms is null, 'ordered', 'carried out')`,
  idempotency_keys: (row) => `iif(${row}.status is null, 'claimed', 'answered')`,
  sessions: (row) =>
    `case when ${row}.ended_at_ms is not null then 'ended' when ${row}.owner is null then 'open, unowned' else 'open, owned' end`,
  nodes: () => "'registered'",
  blocks: () => "'stored'",
};

export function watchStates(
  database: Database.Database,
  onChange: (table: string, from: string, to: string) => void,
): void {
  database.function("note_change", (table, from, to) => {
    onChange(String(table), String(from), String(to));
    return 0;
  });
  for (const [table, state] of Object.entries(MACHINES)) {
    const note = (from: string, to: string): string => `begin select note_change('${table}', ${from}, ${to}); end`;
    const isOther = `${state("new")} is not ${state("old")}${table === "sessions" ? " or new.owner is not old.owner" : ""}`;
    database.exec(`
      create temp trigger ${table}_inserted after insert on main.${table} ${note("'nothing'", state("new"))};
      create temp trigger ${table}_updated after update on main.${table} when ${isOther} ${note(state("old"), state("new"))};
      create temp trigger ${table}_deleted after delete on main.${table} ${note(state("old"), "'removed'")};`);
  }
}
