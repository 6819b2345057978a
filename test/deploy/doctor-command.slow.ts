import { expect } from "chai";
import { keccak256, parseAbi, stringToHex } from "viem";
import type { DeploymentRecord } from "../../deploy/record.ts";
import type { CheckResult } from "../../scripts/doctor/target.ts";
import { command as doctorCommand } from "../../scripts/doctor.ts";
import { type CommandResult, callCommand } from "../helpers/commands.ts";
import { useShared } from "../helpers/fixture.ts";
import { createDeployOptions, openTestnet, runDeployment } from "./job.ts";
import { createTestAccounts, toSecretsEnv } from "./testnet.ts";

const ABI = parseAbi(["function grantRole(bytes32 role, address account)"]);
const OPERATOR_ROLE = keccak256(stringToHex("OPERATOR_ROLE"));
const THIEF = "0x00000000000000000000000000000000000000f1";

describe("npm run doctor on a public chain", () => {
  const { people, roles } = createTestAccounts();
  let options: ReturnType<typeof createDeployOptions>;
  let record: DeploymentRecord;

  const testnet = useShared(() => openTestnet({ people, roles }, [people.deployer, people.admin, people.operator]));
  before(async () => {
    options = createDeployOptions(testnet.chain, people.deployer, roles, testnet.place.folder);
    record = await runDeployment(options);
  });

  const runDoctor = (...decided: readonly string[]): Promise<CommandResult> => {
    const place = ["--rpc", testnet.chain.rpcUrl, "--deployment", options.recordPath];
    const args = [...place, ...decided, "--salt", options.saltLabel, "--json"];
    return callCommand(doctorCommand, args, toSecretsEnv(people));
  };
  const findFaults = ({ json }: CommandResult): readonly string[] =>
    (json.findings as readonly CheckResult[]).filter(({ status }) => status === "fault").map(({ id }) => id);

  it("exits with 0 when the chain matches the file of roles, and otherwise with 1", async () => {
    const healthy = await runDoctor("--roles", testnet.place.rolesPath);
    expect(findFaults(healthy)).to.deep.equal([]);
    expect(healthy.code).to.equal(0);

    const call = { abi: ABI, functionName: "grantRole", args: [OPERATOR_ROLE, THIEF] } as const;
    const hash = await testnet.chain.client.writeContract({ ...call, account: people.admin, address: record.rewards });
    expect((await testnet.chain.client.waitForTransactionReceipt({ hash })).status).to.equal("success");
    const changed = await runDoctor("--roles", testnet.place.rolesPath);
    expect(findFaults(changed)).to.deep.equal(["decided.role.operator.rewards"]);
    expect(changed.code).to.equal(1);
    expect(changed.err).to.include(`but ${people.operator.address.toLowerCase()} was decided`);
  });

  it("exits with 1 when no file of roles is given, and asks for it", async () => {
    const blind = await runDoctor();
    expect(findFaults(blind)).to.deep.equal(["decided"]);
    expect(blind.code).to.equal(1);
    expect(blind.err).to.include("not with what was decided").and.to.include("--roles FILE");
  });
});
