import { checkCode, checkDomains } from "./code.ts";
import { checkDecision } from "./decided.ts";
import { checkCapsAndFloat, checkOperatorBalance } from "./money.ts";
import { checkRoles } from "./roles.ts";
import { type CheckResult, type DoctorTarget, error, skipped } from "./target.ts";
import { checkClock, checkPending } from "./traffic.ts";

/** A public chain without a decision to compare with. */
export type MissingDecision = "fault" | "skipped";

async function checkAgainstDecision(target: DoctorTarget, missing: MissingDecision): Promise<readonly CheckResult[]> {
  if (target.decision !== null) return checkDecision(target, target.decision);
  if (target.isLocal) return [];
  const finding = "the chain is compared with the addresses file only, not with what was decided";
  const next = "pass --roles FILE, the roles file of the deployment";
  return [missing === "fault" ? error("decided", finding, next) : skipped("decided", finding, next)];
}

/** All checks of the doctor. If a contract has no code, the remaining checks are skipped. */
export async function runChecks(
  target: DoctorTarget,
  missingDecision: MissingDecision = "skipped",
): Promise<readonly CheckResult[]> {
  const code = await checkCode(target);
  if (code.some(({ status }) => status === "fault")) return [...code, ...(await checkClock(target))];
  const rest = await Promise.all(
    [checkDomains, checkRoles, checkCapsAndFloat, checkOperatorBalance, checkClock, checkPending].map((check) =>
      check(target),
    ),
  );
  return [...code, ...rest.flat(), ...(await checkAgainstDecision(target, missingDecision))];
}
