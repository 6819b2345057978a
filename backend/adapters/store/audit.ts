/** One row for every change by hand, written in the change's own transaction. */
import type { AuditStamp } from "../../ports.ts";
import type { Db } from "./connection.ts";

export async function writeAudit(
  db: Db,
  { auditId, who, atMs }: AuditStamp,
  change: {
    readonly action: string;
    readonly subject: string;
    readonly before: object | null;
    readonly after: object | null;
  },
): Promise<void> {
  const text = (value: object | null): string | null => (value === null ? null : JSON.stringify(value));
  const { action, subject, before, after } = change;
  await db
    .insertInto("audit")
    .values({ auditId, who, atMs, action, subject, before: text(before), after: text(after) })
    .execute();
}
