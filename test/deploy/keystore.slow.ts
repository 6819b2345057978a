import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { useShared } from "../helpers/fixture.ts";
import { openTestnet, type Testnet } from "./job.ts";
import { type CommandOutcome, createTestAccounts, startProgram } from "./testnet.ts";

const PASSWORD = "correct horse battery";

describe("take the deployer's key from Hardhat's keystore", () => {
  const { people, roles } = createTestAccounts();
  let chain: Testnet["chain"];
  let workspace: Testnet["place"];
  let home: string;

  /** The keystore is below the home folder, and is not touched if `CI` is set. */
  const env = (): NodeJS.ProcessEnv => ({ HOME: home, CI: undefined, HARDHAT_DISABLE_TELEMETRY_PROMPT: "true" });
  const setKey = (flags: readonly string[], answers: readonly string[]): Promise<CommandOutcome> => {
    const args = ["keystore", "set", ...flags, "ARCADE_DEPLOYER_KEY"];
    return startProgram("node_modules/hardhat/dist/src/cli.js", args, env(), [...answers, people.deployer.key]).done;
  };
  const plan = (answers: readonly string[]): Promise<CommandOutcome> => {
    const args = ["--network", "baseSepolia", "--rpc", chain.rpcUrl, "--roles", workspace.rolesPath];
    const more = ["--out", workspace.folder, "--plan", "--json"];
    return startProgram("scripts/run.mjs", ["deploy", ...args, ...more], env(), answers).done;
  };

  const testnet = useShared(() => openTestnet({ people, roles }));
  before(async () => {
    ({ chain, place: workspace } = testnet);
  });
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), "arcade-home-"));
  });
  afterEach(() => rm(home, { recursive: true }));

  it("asks for the password, on stderr, and shows neither password nor key", async () => {
    expect((await setKey([], [PASSWORD, PASSWORD])).code).to.equal(0);
    const outcome = await plan([PASSWORD]);
    expect(outcome.code, outcome.stderr).to.equal(0);
    expect(outcome.stderr).to.include("Enter the password").and.to.include(people.deployer.address);
    expect(() => JSON.parse(outcome.stdout)).to.not.throw();
    for (const secret of [PASSWORD, people.deployer.key]) {
      expect(outcome.stdout + outcome.stderr).to.not.include(secret);
    }
  });

  it("stays closed for a wrong or missing password, and reports what to do", async () => {
    await setKey([], [PASSWORD, PASSWORD]);
    for (const answers of [["wrong horse"], []]) {
      const outcome = await plan(answers);
      expect(outcome.code, outcome.stderr).to.equal(4);
      expect(outcome.json!.error).to.include("Hardhat's keystore stays closed");
      expect(outcome.json!.next).to.include("ARCADE_DEPLOYER_KEY");
    }
  });

  it("does not ask for a password for the development keystore", async () => {
    expect((await setKey(["--dev"], [])).code).to.equal(0);
    const outcome = await plan([]);
    expect(outcome.code, outcome.stderr).to.equal(0);
    expect(outcome.stderr).to.not.include("password");
  });
});
