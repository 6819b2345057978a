/** What the operator's actions work with. The console's routes and the admin commands only adapt the actions. */
import { randomBytes } from "node:crypto";
import { ArcadeError } from "../../../domain/errors.ts";
import { uuidV7 } from "../../../domain/ids.ts";
import type { BlockFinality } from "../../../domain/session.ts";
import type { DoctorFinding } from "../../ports/doctor.ts";
import type { LiveSessions } from "../../ports/live.ts";
import type { AuditStamp } from "../../ports/store/admin.ts";
import type { Store } from "../../ports/store/store.ts";
import type { ErrorLog } from "./error-log.ts";
import { isSameSecret } from "./secrets.ts";

export interface Operator {
  readonly store: Store;
  /** Name, time and id of a change, for the audit. */
  createStamp(): AuditStamp;
  /** Up to these blocks, transactions are safe and final. */
  readFinality(): Promise<BlockFinality>;
}

/** An operator at the console of a running service. */
export interface ConsoleOperator extends Operator {
  readonly live: Pick<LiveSessions, "peekView">;
  readonly errors: Pick<ErrorLog, "list">;
  /** The operator's token; null: there is no console. */
  readonly adminToken: string | null;
  readonly draining: {
    get(): boolean;
    set(isDraining: boolean): void;
  };
  /** Null: this process has no doctor. */
  readonly runDoctor: (() => Promise<readonly DoctorFinding[]>) | null;
}

export const createStamp = (who: string, atMs: number): AuditStamp => ({
  auditId: uuidV7(atMs, randomBytes(10)),
  who,
  atMs,
});

/**
 * Throws `NOT_FOUND` if the service has no console, `AUTH_REQUIRED` without a token, `TOKEN_INVALID` for a wrong one.
 */
export function checkOperatorToken({ adminToken }: Pick<ConsoleOperator, "adminToken">, token: string | null): void {
  if (adminToken === null)
    throw new ArcadeError("NOT_FOUND", "This service has no console; ARCADE_ADMIN_TOKEN turns it on.");
  if (token === null)
    throw new ArcadeError("AUTH_REQUIRED", "Expected the header Authorization: Bearer <admin token>.");
  if (!isSameSecret(token, adminToken))
    throw new ArcadeError("TOKEN_INVALID", "Expected the operator's token (ARCADE_ADMIN_TOKEN).");
}
