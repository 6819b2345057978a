import type { ArcadeParameters } from "../../deploy/modules/parameters.ts";
import { checkDecision } from "../doctor/decided.ts";
import { loadTarget } from "../doctor/target.ts";
import type { DeployContext } from "./options.ts";

/** Fields of the addresses file that a deployment rewrites. */
const FILE_FACTS: ReadonlySet<string> = new Set(["decided.publicUrl", "decided.market"]);

/**
 * Lists the `parameters` that differ from the chain for the deployment in an addresses file, compared like in the
 * doctor.
 */
export const createDifferenceFinder =
  (context: DeployContext, recordPath: string, parameters: ArcadeParameters, saltLabel: string) =>
  async (): Promise<readonly string[]> => {
    const decision = { parameters, saltLabel };
    const target = await loadTarget(context, recordPath, {}, decision);
    const results = await checkDecision(target, decision);
    return results.flatMap(({ id, status, finding }) => (status === "fault" && !FILE_FACTS.has(id) ? [finding] : []));
  };
