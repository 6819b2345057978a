import { checkCode, checkDomains } from "./code.ts";
import { checkDecision } from "./decided.ts";
import { checkCapsAndFloat, checkOperatorBalance } from "./money.ts";
import { checkRoles } from "./roles.ts";
import { type CheckResult, type DoctorTarget, error, skipped } from "./target.ts";
import { checkClock, checkPending } from "./traffic.ts";

/** What a public chain without a decision to compare with counts as. */
export type MissingDecision = "fault" | "skipped";

async function checkAgainstDecision(target: DoctorTarget, missing: MissingDecision): Promise<readonly CheckResult[]> {
  if (target.decision !== null) return checkDecision(target, target.decision);
  if (target.isLocal) return [];
  const finding = "the chain is compared with the addresses file only, not with what was decided";
  const next = "npm run doctor with --roles FILE, the file of roles that the deployment was made with";
  return [missing === "fault" ? error("decided", finding, next) : skipped("decided", finding, next)];
}

/** Everything the doctor looks at. A contract without code answers nothing, so the rest then waits. */
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
