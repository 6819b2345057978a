/** Records calls that the operator's policy refused in the audit, where `admin tx` shows them. */
import { randomBytes } from "node:crypto";
import { uuidV7 } from "../../../domain/ids.ts";
import { REFUSAL_ACTION } from "../../../domain/operator-policy.ts";
import type { OperatorStore } from "../../ports/store/admin.ts";
import type { Clock } from "../../ports/system.ts";
import type { ChainWriter } from "../../ports/transactions.ts";

type Request = Parameters<ChainWriter["submit"]>[0];

/** Calls of different kinds may have the same key; there are fewer kinds than this. */
const KINDS_MAX = 20;

/** A repeated call has one row, from its first attempt. */
export function createRefusalRecorder(store: Pick<OperatorStore, "addAuditRow" | "listAudit">, clock: Clock) {
  return async ({ kind, key, to, data, value = 0n }: Request, reason: string): Promise<void> => {
    const known = await store.listAudit({ subject: key, action: REFUSAL_ACTION, limit: KINDS_MAX });
    if (known.some(({ after }) => (JSON.parse(after!) as { readonly kind: string }).kind === kind)) return;
    const atMs = clock.nowMs();
    const call = { kind, key, to, selector: data.slice(0, 10), value: value.toString(), reason };
    await store.addAuditRow({
      auditId: uuidV7(atMs, randomBytes(10)),
      who: "service",
      atMs,
      action: REFUSAL_ACTION,
      subject: key,
      before: null,
      after: JSON.stringify(call),
    });
  };
}
