import type { ArcadeParameters } from "../../deploy/modules/parameters.ts";
import { checkDecision } from "../doctor/decided.ts";
import { loadTarget } from "../doctor/target.ts";
import type { DeployContext } from "./options.ts";

/** Facts about the addresses file, which a deployment rewrites. */
const FILE_FACTS: ReadonlySet<string> = new Set(["decided.publicUrl", "decided.market"]);

/** Finds the `parameters` that the chain does not show for the deployment in an addresses file, compared as the doctor does. */
export const createDifferenceFinder =
  (context: DeployContext, recordPath: string, parameters: ArcadeParameters, saltLabel: string) =>
  async (): Promise<readonly string[]> => {
    const decision = { parameters, saltLabel };
    const target = await loadTarget(context, recordPath, {}, decision);
    const results = await checkDecision(target, decision);
    return results.flatMap(({ id, status, finding }) => (status === "fault" && !FILE_FACTS.has(id) ? [finding] : []));
  };
