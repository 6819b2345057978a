/** One row for every admin command, written in the same transaction as its change. */
import type { AuditStamp } from "../../../ports/store/admin.ts";
import type { Db } from "../schema.ts";

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
  const toJson = (value: object | null): string | null => (value === null ? null : JSON.stringify(value));
  const { action, subject, before, after } = change;
  await db
    .insertInto("audit")
    .values({ auditId, who, atMs, action, subject, before: toJson(before), after: toJson(after) })
    .execute();
}
