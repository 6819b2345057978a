import { expect } from "chai";
import { useEach } from "../helpers/fixture.ts";
import { createDeployOptions, openTestnet, runDeployment } from "./job.ts";
import { createTestAccounts, runCommand, startCommand } from "./testnet.ts";

/** Nothing listens there. */
const UNREACHABLE = "http://127.0.0.1:1";

describe("what npm run deploy reports", function () {
  this.timeout(120_000);
  const { people, roles } = createTestAccounts();
  const env = { ARCADE_DEPLOYER_KEY: people.deployer.key };

  const testnet = useEach(() => openTestnet({ people, roles }));

  const getArguments = () => {
    const { chain, place } = testnet;
    return ["--network", "baseSepolia", "--rpc", chain.rpcUrl, "--roles", place.rolesPath, "--out", place.folder];
  };

  it("shows in the plan everything that the contracts are made with", async () => {
    const args = [...getArguments(), "--salt", "spring", "--confirmations", "3", "--plan", "--json"];
    const { code, stderr } = await runCommand("deploy", args, env);
    expect(code, stderr).to.equal(0);
    for (const text of [
      ...["metadata at https://arcade.example", "royalty 2.5 %", "0.0001 ", " for a point", 'salt "spring"'],
      ...["3 confirmations for each step", "20,000 a day", "100,000 a week", "50 a payout", "cooldown 86400 s"],
      ...["least score 10000", "highest session 100000"],
      ...[people.admin, people.guardian, people.operator, people.treasury, people.score].map(({ address }) => address),
    ])
      expect(stderr).to.include(text);
  });

  it("says what it waits for on a chain that mines on demand", async () => {
    const args = [...getArguments(), "--confirmations", "2", "--no-verify", "--yes", "--json"];
    const { child, done } = startCommand("deploy", args, env);
    const line = Promise.withResolvers<string>();
    child.stderr!.on("data", (chunk) => {
      const [found] =
        /Token\.RewardToken: 0x[0-9a-f]{64} has 1 of 2 confirmations after \d+ s/.exec(String(chunk)) ?? [];
      if (found !== undefined) line.resolve(found);
    });
    const ended = done.then(({ stderr }) => `ended: ${stderr}`);
    const said = await Promise.race([line.promise, ended]);
    child.kill("SIGKILL");
    await done;
    expect(said).to.include("has 1 of 2 confirmations");
  });

  it("tries an explorer once that does not answer, and prints the command that tries again with what was given", async () => {
    const options = createDeployOptions(testnet.chain, people.deployer, roles, testnet.place.folder);
    await runDeployment(options);
    const { rpcUrl } = testnet.chain;
    const urls = ["--sourcify-url", UNREACHABLE, "--etherscan-url", UNREACHABLE];
    const outcome = await runCommand("deploy", [...getArguments(), ...urls, "--verify-only", "--json"], {
      ETHERSCAN_API_KEY: "test-key",
    });
    expect(outcome.code, outcome.stderr).to.equal(1);
    const { verification } = outcome.json as { verification: { verified: boolean; attempts: number }[] };
    expect(verification).to.have.length(10);
    for (const one of verification) expect(one).to.include({ verified: false, attempts: 1 });
    expect(outcome.stderr).to.include(
      `npm run deploy -- --network baseSepolia --rpc ${rpcUrl} --out ${testnet.place.folder} ` +
        `--etherscan-url ${UNREACHABLE} --sourcify-url ${UNREACHABLE} --verify-only`,
    );
  });
});
