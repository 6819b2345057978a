import { readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { expect } from "chai";
import { useEach } from "../helpers/fixture.ts";
import { openTestnet } from "./job.ts";
import { createTestAccounts, runCommand } from "./testnet.ts";

interface Rehearsal {
  readonly isEqual: boolean;
  readonly costWei: string;
  readonly worstCostWei: string;
  readonly scenarios: readonly { readonly scenario: string; readonly runs: number; readonly transactions: number }[];
}

const listLeftovers = async (): Promise<readonly string[]> =>
  (await readdir(tmpdir())).filter((name) => name.startsWith("arcade-rehearsal-"));

describe("rehearse a deployment", function () {
  this.timeout(400_000);
  const { people, roles } = createTestAccounts();
  const { address } = people.deployer;
  const testnet = useEach(() => openTestnet({ people, roles }, undefined, { createX: false }));

  it("deploys to a copy of the chain through every fault, reports the worst cost, and sends nothing to the chain", async () => {
    const { chain, place } = testnet;
    const before = await listLeftovers();
    const block = await chain.client.getBlockNumber();
    const common = ["--network", "baseSepolia", "--rpc", chain.rpcUrl, "--roles", place.rolesPath, "--json"];
    const env = { ARCADE_DEPLOYER_KEY: people.deployer.key };
    const args = [...common, "--out", place.folder, "--confirmations", "1"];
    const outcome = await runCommand("deploy", [...args, "--rehearse"], env);
    expect(outcome.code, outcome.stderr).to.equal(0);
    const { rehearsal } = outcome.json as unknown as { rehearsal: Rehearsal };
    expect(rehearsal.isEqual).to.equal(true);
    expect(rehearsal.scenarios.map(({ runs, transactions }) => [runs, transactions])).to.deep.equal([
      [1, 9],
      [11, 9],
      [11, 9],
      [11, 9],
      [1, 9],
      [1, 9],
    ]);
    expect(outcome.stderr).to.include("✓ dropped once at each send").and.include("at the addresses of the plan");
    // The chain, its deployer and the folder are as they were.
    expect(await chain.client.getBlockNumber()).to.equal(block);
    expect(await chain.client.getTransactionCount({ address })).to.equal(0);
    expect(await readdir(place.folder)).to.deep.equal(["roles.json"]);
    expect(await listLeftovers()).to.deep.equal(before);
    expect(BigInt(rehearsal.costWei) < BigInt(rehearsal.worstCostWei)).to.equal(true);
  });
});
