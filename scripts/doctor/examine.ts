import { checkCode, checkDomains } from "./code.ts";
import { checkCapsAndFloat, checkOperatorBalance } from "./money.ts";
import type { Finding, Patient } from "./patient.ts";
import { checkRoles } from "./roles.ts";
import { checkClock, checkPending } from "./traffic.ts";

/** Everything the doctor looks at. A contract without code answers nothing, so the rest then waits. */
export async function examine(patient: Patient): Promise<readonly Finding[]> {
  const code = await checkCode(patient);
  if (code.some(({ status }) => status === "fault")) return [...code, ...(await checkClock(patient))];
  const rest = await Promise.all(
    [checkDomains, checkRoles, checkCapsAndFloat, checkOperatorBalance, checkClock, checkPending].map((check) =>
      check(patient),
    ),
  );
  return [...code, ...rest.flat()];
}
