import { randomBytes } from "node:crypto";
import { uuidV7 } from "../../../backend/domain/ids.ts";
import type { AuditStamp } from "../../../backend/ports/store/admin.ts";

/** A change made by hand, now. */
export const createAuditStamp = (who: string): AuditStamp => ({
  auditId: uuidV7(Date.now(), randomBytes(10)),
  who,
  atMs: Date.now(),
});
