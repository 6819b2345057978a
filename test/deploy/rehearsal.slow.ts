import { readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { expect } from "chai";
import { prepareDeployment } from "../../deploy/execute-public.ts";
import { readFactoryTransaction } from "../../deploy/public/factory.ts";
import { createTerminal } from "../../scripts/cli/terminal.ts";
import { rehearse } from "../../scripts/deploy/rehearse.ts";
import { useEach } from "../helpers/fixture.ts";
import { createDeployOptions, FUNDED_BALANCE_WEI, openTestnet } from "./job.ts";
import { CREATE_X_DEPLOYER, createTestAccounts, runCommand } from "./testnet.ts";

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

  it("reports the runs that end differently than the first one", async () => {
    const { chain, place } = testnet;
    const options = createDeployOptions(chain, people.deployer, roles, place.folder);
    const lines: string[] = [];
    let placing: Promise<unknown> | undefined;
    const print = (line: string): void => {
      lines.push(line);
      // Somebody places CreateX after the first run: the later ones send two transactions less.
      placing ??= line.includes("✓ not disturbed") ? placeFactory() : undefined;
    };
    const placeFactory = async (): Promise<void> => {
      await chain.client.setBalance({ address: CREATE_X_DEPLOYER, value: FUNDED_BALANCE_WEI });
      const hash = await chain.client.sendRawTransaction({ serializedTransaction: await readFactoryTransaction() });
      await chain.client.waitForTransactionReceipt({ hash });
    };
    const { isEqual } = await rehearse(options, await prepareDeployment(options), { ...createTerminal(true), print });
    await placing;
    expect(isEqual).to.equal(false);
    expect(lines.join("\n")).to.include("✗ delayed at each send").and.include("did not end with the same contracts");
  });
});
