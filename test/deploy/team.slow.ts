import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { encryptKeystoreJsonSync } from "ethers";
import { type Address, type Hex, parseAbi } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import type { DeploymentRecord } from "../../deploy/record.ts";
import { command as deployCommand } from "../../scripts/deploy.ts";
import { command as doctorCommand } from "../../scripts/doctor.ts";
import { SIGNER_TOKEN, startRemoteSigner } from "../adapters/chain/remote-signer.ts";
import { type CommandResult, callCommand } from "../helpers/commands.ts";
import { setEnvironment } from "../helpers/environment.ts";
import { useShared } from "../helpers/fixture.ts";
import { type ChainKeys, createChainRunner } from "./chain-command.ts";
import { createDeployOptions, openTestnet, runDeployment } from "./job.ts";
import { deploySafe } from "./safe.ts";
import { createTestAccounts, toSecretsEnv } from "./testnet.ts";

const VIEWS = parseAbi([
  "function defaultAdmin() view returns (address)",
  "function maxPayout() view returns (uint256)",
  "function paused() view returns (bool)",
]);
const PASSPHRASE = "correct horse battery";
const TOKEN = 10n ** 18n;
/** Longer than every delay. */
const DELAY_SECONDS = 4 * 86_400;
const NEW_GAME = "flappybots";

interface HandOverLine {
  readonly what: string;
  readonly holds: boolean;
}

/** A deployment run by several people, with keys in all forms that the service accepts. */
describe("a team works on a deployment, and the doctor stays green", () => {
  const { people, roles } = createTestAccounts();
  const proposer = privateKeyToAccount(generatePrivateKey());
  const proposerKey = generatePrivateKey();
  const remoteProposer = privateKeyToAccount(proposerKey);
  const newScore = generatePrivateKey();
  let file: { [name: string]: unknown } = roles;
  let env: NodeJS.ProcessEnv = toSecretsEnv(people);
  let options: ReturnType<typeof createDeployOptions>;
  let run: ReturnType<typeof createChainRunner>;
  let admin: ChainKeys;
  let timelock: Address;

  const testnet = useShared(() =>
    openTestnet({ people, roles }, [
      people.deployer,
      people.admin,
      people.guardian,
      people.treasury,
      people.operator,
      remoteProposer,
      proposer,
    ]),
  );
  const signer = useShared(() => startRemoteSigner(proposerKey));
  const getPath = (name: string): string => join(testnet.place.folder, name);
  const readRecord = (): DeploymentRecord => JSON.parse(readFileSync(options.recordPath, "utf8"));
  const read = (address: Address, functionName: "defaultAdmin" | "maxPayout" | "paused") =>
    testnet.chain.client.readContract({ address, abi: VIEWS, functionName });

  function writeRoles(changes: object): void {
    file = { ...file, ...changes };
    writeFileSync(testnet.place.rolesPath, JSON.stringify(file));
  }
  const advanceTime = async (): Promise<void> => {
    await testnet.chain.client.increaseTime({ seconds: DELAY_SECONDS });
    await testnet.chain.client.mine({ blocks: 1 });
  };
  const getFlags = () => [
    "--rpc",
    testnet.chain.rpcUrl,
    "--roles",
    testnet.place.rolesPath,
    "--salt",
    options.saltLabel,
  ];
  const deploy = (...args: string[]): Promise<CommandResult> => {
    const flags = ["--out", testnet.place.folder, "--confirmations", "1", "--no-verify", "--yes", "--json"];
    return callCommand(deployCommand, [...args, ...flags], { ARCADE_DEPLOYER_KEY: `@${getPath("deployer.key")}` });
  };
  /** Runs the doctor at the chain's time, which the test moves. */
  async function examine(): Promise<CommandResult> {
    const { timestamp } = await testnet.chain.client.getBlock();
    const { now } = Date;
    Date.now = () => Number(timestamp) * 1000;
    try {
      return await callCommand(doctorCommand, [...getFlags(), "--deployment", options.recordPath, "--json"], env);
    } finally {
      Date.now = now;
    }
  }
  async function expectGreen(): Promise<void> {
    const { code, json, err } = await examine();
    expect(code, err).to.equal(0);
    const warned = json.findings.filter(({ status }: { status: string }) => status === "warning");
    const ids = warned.map(({ id }: { id: string }) => id);
    // The first admin is a plain key.
    expect(
      ids.filter((id: string) => !/^admin\.[^.]+(\.\w+bots|\.\w+runners)?$/.test(id)),
      err,
    ).to.deep.equal([]);
  }
  /** Expects the doctor to be red, and returns its proposal for the file of roles. */
  async function expectProposal(): Promise<readonly unknown[]> {
    const { code, json } = await examine();
    expect(code).to.equal(1);
    return json.rolesChanges;
  }
  const send = async (keys: ChainKeys, ...args: string[]) => {
    const result = await run(keys, args);
    expect(result.code, result.err).to.equal(0);
    return result.json;
  };

  before(async () => {
    const { chain, place } = testnet;
    writeFileSync(getPath("deployer.key"), people.deployer.key);
    writeFileSync(getPath("passphrase"), PASSPHRASE);
    const account = { address: people.admin.address, privateKey: people.admin.key };
    writeFileSync(
      getPath("admin.json"),
      encryptKeystoreJsonSync(account, PASSPHRASE, { scrypt: { N: 1024, r: 8, p: 1 } }),
    );
    admin = { admin: `keystore:${getPath("admin.json")},${getPath("passphrase")}` };
    options = createDeployOptions(chain, people.deployer, roles, place.folder, (parameters) => ({
      ...parameters,
      games: parameters.games.filter(({ slug }) => slug !== NEW_GAME),
    }));
    run = createChainRunner(chain, options.recordPath);
    await runDeployment(options);
  });

  /** A signer is rotated, planned in the file of roles. */
  async function rotate(): Promise<void> {
    const next = privateKeyToAccount(newScore).address;
    await send(admin, "rotate", next, "--contract", "rewards");
    expect(await expectProposal()).to.deep.equal([{ path: "next.signers.score", value: next }]);
    writeRoles({ next: { signers: { score: next } } });
    await expectGreen();
    await advanceTime();
    env = { ...env, ARCADE_SCORE_SIGNER_KEY: newScore };
    await send(admin, "rotate", next, "--contract", "rewards");
    await expectGreen();
    await send({ guardian: people.guardian.key }, "revoke", people.score.address);
    await expectGreen();
    expect((await examine()).json.rolesChanges).to.deep.equal([{ path: "signers.score", value: next }]);
    writeRoles({ next: undefined, signers: { ...roles.signers, score: next } });
    await expectGreen();
  }

  /** The admin's role goes to a timelock, and a game is added while it is pending. */
  async function beginHandOver(): Promise<void> {
    const proposers = `${remoteProposer.address},${proposer.address}`;
    const deployed = await deploy("timelock", "--rpc", testnet.chain.rpcUrl, "--proposers", proposers);
    expect(deployed.code, deployed.err).to.equal(0);
    timelock = deployed.json.address;
    await send(admin, "transfer-admin", timelock);
    expect(await expectProposal()).to.deep.equal([{ path: "next.admin", value: timelock }]);
    const refused = await deploy(...getFlags());
    expect(refused.code).to.equal(1);
    expect(refused.json.error).to.include(timelock);
    expect(refused.json.next).to.include("npm run doctor");
    writeRoles({ next: { admin: timelock } });
    await expectGreen();
    const grown = await deploy(...getFlags());
    expect(grown.code, grown.err).to.equal(0);
    expect(grown.err).to.not.include("✗");
    expect(await read(readRecord().nft[NEW_GAME]!, "defaultAdmin")).to.equal(timelock);
    expect(await read(readRecord().rewards, "defaultAdmin")).to.equal(people.admin.address);
    await expectGreen();
    expect((await deploy(...getFlags())).json.ok).to.equal(true);
  }

  /** The timelock accepts the role, by a proposer's key in another process. */
  async function acceptRole(): Promise<void> {
    const keys: ChainKeys = { proposer: signer.setting };
    const path = getPath("accept.json");
    expect((await send({}, "accept-admin", "--safe", path)).status).to.equal("written");
    const restoreEnvironment = setEnvironment({ ARCADE_SIGNER_TOKEN: SIGNER_TOKEN });
    try {
      expect((await run({ proposer: people.guardian.key }, ["schedule", path])).json.code).to.equal("MISSING_ROLE");
      expect((await run(keys, ["execute", path])).json.error).to.include("is not scheduled");
      expect((await send(keys, "schedule", path)).status).to.equal("sent");
      expect((await send(keys, "schedule", path)).status).to.equal("unchanged");
      await expectGreen();
      expect((await run(keys, ["execute", path])).json.error).to.match(/can be executed from 20\d\d-/);
      await advanceTime();
      expect((await send(keys, "execute", path)).status).to.equal("sent");
      expect((await send(keys, "execute", path)).notes[0]).to.include("were executed");
    } finally {
      restoreEnvironment();
    }
    const { rewards, identity, nft } = readRecord();
    for (const address of [rewards, identity, ...Object.values(nft)])
      expect(await read(address, "defaultAdmin")).to.equal(timelock);
    await expectGreen();
    expect((await examine()).json.rolesChanges).to.deep.equal([{ path: "admin", value: timelock }]);
    writeRoles({ next: undefined, admin: timelock });
    await expectGreen();
  }

  /** The timelock raises a limit. */
  async function raiseLimit(): Promise<void> {
    const keys: ChainKeys = { proposer: `@${getPath("proposer.key")}` };
    writeFileSync(getPath("proposer.key"), proposerKey);
    const path = getPath("limits.json");
    writeRoles({ next: { rewards: { maxPayout: String(70n * TOKEN) } } });
    await send({}, "limits", "--max-payout", "70", "--safe", path);
    const batch = JSON.parse(readFileSync(path, "utf8"));
    expect(batch).to.deep.include({ version: "1.0", chainId: "84532" });
    expect(batch.transactions[0]).to.deep.include({
      to: readRecord().rewards,
      value: "0",
      contractInputsValues: { newMax: String(70n * TOKEN) },
    });
    expect(batch.transactions[0].contractMethod).to.deep.include({ name: "setMaxPayout", payable: false });
    await send(keys, "schedule", path);
    await expectGreen();
    await advanceTime();
    await send(keys, "execute", path);
    expect(await read(readRecord().rewards, "maxPayout")).to.equal(70n * TOKEN);
    await expectGreen();
  }

  /** The deployment command reports what other commands have changed. */
  async function deployAgain(): Promise<void> {
    await send({ treasury: people.treasury.key }, "fund", "1000");
    const { code, err, json } = await deploy(...getFlags());
    expect(code, err).to.equal(0);
    const changed = (json.handOver as HandOverLine[]).filter(({ holds }) => !holds).map(({ what }) => what);
    expect(changed).to.deep.equal(["token: the treasury has the rest of the supply, 999,800,000 ARCD"]);
    expect(err)
      .to.match(/– token: the treasury .* changed since by npm run admin -- chain fund/)
      .and.not.include("✗");
  }

  /** A Safe that became a guardian executes the file that was written for it. */
  async function pauseBySafe(): Promise<void> {
    const safe = await deploySafe(testnet.chain, proposer);
    const keys: ChainKeys = { proposer: proposerKey };
    const grant = getPath("grant #1.json");
    const proposed = await send({}, "grant", "guardian", safe.address, "--safe", grant);
    expect(proposed.notes.at(-1)).to.include(`chain schedule '${grant}', by a proposer`);
    expect((await send(keys, "schedule", grant)).notes.at(-1)).to.include(`chain execute '${grant}'`);
    await advanceTime();
    await send(keys, "execute", grant);
    const path = getPath("pause.json");
    const written = await send({}, "pause", "--contract", "rewards", "--safe", path);
    expect(written.holder).to.deep.equal({ address: safe.address, kind: "safe" });
    const batch = JSON.parse(readFileSync(path, "utf8"));
    for (const { to, data } of batch.transactions as { to: Address; data: Hex }[]) await safe.execute({ to, data });
    expect(await read(readRecord().rewards, "paused")).to.equal(true);
  }

  /** Files that the timelock commands must reject. */
  async function refuseFiles(): Promise<void> {
    const keys: ChainKeys = { proposer: proposerKey };
    const grant = getPath("grant #1.json");
    const refuse = async (change: object): Promise<string> => {
      writeFileSync(getPath("other.json"), JSON.stringify({ ...JSON.parse(readFileSync(grant, "utf8")), ...change }));
      const { code, json } = await run(keys, ["schedule", getPath("other.json")]);
      expect(code).to.equal(2);
      return json.error;
    };
    expect(await refuse(JSON.parse(readFileSync(getPath("pause.json"), "utf8")))).to.include("is a safe");
    expect(await refuse({ chainId: "1" })).to.include("is for chain 1");
    expect(await refuse({ transactions: [] })).to.include("transactions: ");
    const [first] = JSON.parse(readFileSync(grant, "utf8")).transactions;
    expect(await refuse({ transactions: [{ ...first, value: "1" }] })).to.include('transactions.0.value: expected "0"');
    expect(await refuse({ transactions: [{ ...first, to: proposer.address }] })).to.include("expected a contract of");
    expect(await refuse({ transactions: [{ ...first, data: "0x12345678" }] })).to.include("has no function 0x12345678");
    expect((await run(keys, ["schedule", getPath("absent.json")])).json.error).to.include("file not found");
  }

  it("deploys, rotates, adds a game during a hand-over, and works through a timelock", async () => {
    await expectGreen();
    await rotate();
    await beginHandOver();
    await acceptRole();
    await raiseLimit();
    await deployAgain();
    await pauseBySafe();
    await refuseFiles();
  });
});
