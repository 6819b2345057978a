import { type Future, type IgnitionModule, isFuture } from "@nomicfoundation/ignition-core";
import { expect } from "chai";
import { createArcadeModule } from "../../deploy/modules/ignition.ts";
import { createPublicParameters } from "../../deploy/modules/parameters.ts";
import { listSteps } from "../../deploy/steps.ts";
import { createTestAccounts } from "./testnet.ts";

function listFutureIds(module: IgnitionModule, seen = new Set<string>()): readonly string[] {
  for (const part of module.submodules) listFutureIds(part as IgnitionModule, seen);
  for (const future of module.futures as ReadonlySet<Future>) if (isFuture(future)) seen.add(future.id);
  return [...seen];
}

describe("list the steps of a deployment", () => {
  it("finds the same steps in the same order as Ignition", async () => {
    const { people, roles } = createTestAccounts();
    const parameters = createPublicParameters(roles);
    const { address } = people.deployer;
    const steps = await listSteps(parameters, { deployer: address, predictAddress: () => address });
    const ids = listFutureIds(createArcadeModule(parameters) as unknown as IgnitionModule);
    expect(steps.map(({ name }) => name)).to.deep.equal(ids.map((id) => id.replace("#", ".")));
    expect(steps).to.have.length(6 + parameters.games.length);
  });
});
