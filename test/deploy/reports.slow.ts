import { expect } from "chai";
import { type Address, type PrivateKeyAccount, parseAbi } from "viem";
import { useEach } from "../helpers/fixture.ts";
import { createDeployOptions, FUNDED_BALANCE_WEI, openTestnet, runDeployment } from "./job.ts";
import { createTestAccounts, runCommand, startCommand } from "./testnet.ts";

const ABI = parseAbi([
  "function revokeSigner(address account)",
  "function setRoyalty(address receiver, uint96 basisPoints)",
]);
/** An address on which nothing listens. */
const UNREACHABLE = "http://127.0.0.1:1";

describe("what npm run deploy reports", () => {
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
      ...["metadata at https://arcade.example", "royalty 2.5 %", "0.0001 ", " per point", 'salt "spring"'],
      ...[
        "3 confirmations for each step",
        "20,000 ARCD a day",
        "100,000 ARCD a week",
        "20 ARCD a payout",
        "cooldown 60 s",
      ],
      ...["minimum score 1,", "maximum per session 300000"],
      ...[people.admin, people.guardian, people.operator, people.treasury, people.score].map(({ address }) => address),
    ])
      expect(stderr).to.include(text);
  });

  it("distinguishes facts that a command has changed from constant ones", async () => {
    const { chain, place } = testnet;
    const { rewards, nft } = await runDeployment(createDeployOptions(chain, people.deployer, roles, place.folder));
    const send = async (
      account: PrivateKeyAccount,
      address: Address,
      functionName: string,
      args: readonly unknown[],
    ) => {
      await chain.client.setBalance({ address: account.address, value: FUNDED_BALANCE_WEI });
      const hash = await chain.client.writeContract({ account, address, abi: ABI, functionName, args } as never);
      expect((await chain.client.waitForTransactionReceipt({ hash })).status).to.equal("success");
    };
    const deploy = () =>
      runCommand("deploy", [...getArguments(), "--salt", "test", "--no-verify", "--yes", "--json"], env);
    await send(people.guardian, rewards, "revokeSigner", [people.score.address]);
    const used = await deploy();
    expect(used.code, used.stderr).to.equal(0);
    expect(used.stderr).to.match(
      /– rewards: the signer is .* changed since by npm run admin -- chain rotate or revoke/,
    );
    expect(used.stderr).to.not.include("✗");
    await send(people.admin, nft.flappybots!, "setRoyalty", [people.operator.address, 1_000n]);
    const other = await deploy();
    expect(other.code).to.equal(1);
    expect(other.stderr).to.include("✗ nft.flappybots: the royalty (basis points) is 250");
  });

  it("reports what it waits for on a chain that mines on demand", async () => {
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

  it("compiles nothing while no explorer answers, and prints the command that tries again with what was given", async () => {
    const options = createDeployOptions(testnet.chain, people.deployer, roles, testnet.place.folder);
    await runDeployment(options);
    const { rpcUrl } = testnet.chain;
    const urls = ["--sourcify-url", UNREACHABLE, "--etherscan-url", UNREACHABLE, "--blockscout-url", UNREACHABLE];
    const outcome = await runCommand("deploy", [...getArguments(), ...urls, "--verify-only", "--json"], {
      ETHERSCAN_API_KEY: "test-key",
    });
    expect(outcome.code, outcome.stderr).to.equal(1);
    const { verification } = outcome.json as { verification: { verified: boolean; attempts: number }[] };
    expect(verification).to.have.length(15);
    for (const one of verification) expect(one).to.include({ verified: false, attempts: 0 });
    expect(outcome.stderr).to.include("etherscan: 127.0.0.1:1 does not answer").and.not.include("compiling");
    expect(outcome.stderr).to.include(
      `npm run deploy -- --network baseSepolia --rpc ${rpcUrl} --out ${testnet.place.folder} ` +
        `--etherscan-url ${UNREACHABLE} --blockscout-url ${UNREACHABLE} --sourcify-url ${UNREACHABLE} --verify-only`,
    );
  });
});
