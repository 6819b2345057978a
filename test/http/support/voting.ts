import { randomBytes } from "node:crypto";
import { uuidV7 } from "../../../backend/domain/uuid.ts";
import type { AuditStamp } from "../../../backend/ports.ts";

/** A change made by hand, now. */
export const stampOf = (who: string): AuditStamp => ({
  auditId: uuidV7(Date.now(), randomBytes(10)),
  who,
  atMs: Date.now(),
});
