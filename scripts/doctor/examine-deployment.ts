/** The doctor's checks for the console of a running service. */
import { getEnvironment } from "../../backend/config/environment.ts";
import type { Doctor, DoctorFinding } from "../../backend/ports/doctor.ts";
import { getNetworkByChainId } from "../../deploy/networks.ts";
import { CommandError, UsageError } from "../cli/failures.ts";
import { runChecks } from "./run-checks.ts";
import { error, loadTarget } from "./target.ts";

/** A node's error may contain its URL with a key, so only our own messages are shown. */
const toFinding = (thrown: unknown): DoctorFinding =>
  thrown instanceof CommandError || thrown instanceof UsageError
    ? error("doctor", thrown.message, (thrown instanceof CommandError ? thrown.next : null) ?? "run npm run doctor")
    : error("doctor", "the chain did not answer", "check the node, then run it again");

/** Compares with the addresses file; only `npm run doctor -- --roles FILE` compares with the decision. */
export const examineDeployment: Doctor = async ({ chainId, rpcUrl, deploymentPath }) => {
  try {
    const network = getNetworkByChainId(chainId, rpcUrl);
    const found = await runChecks(await loadTarget({ network, rpcUrl }, deploymentPath, getEnvironment()));
    return found.map(({ id, status, finding, next }) => ({ id, status, finding, next }));
  } catch (thrown) {
    return [toFinding(thrown)];
  }
};
