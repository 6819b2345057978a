import { readFile, stat, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { expect } from "chai";
import { privateKeyToAccount } from "viem/accounts";
import { developmentAccount } from "../../backend/config/dev-keys.ts";
import { loadArtifact, refuseCounting } from "../../deploy/artifacts.ts";
import { readRoles } from "../../deploy/parameters/roles.ts";
import { DifferentDeploymentError, prepareDeployment } from "../../deploy/public/run.ts";
import { GAS_MONEY, makeFolder, makeJob } from "./job.ts";
import { makePeople, runTool, type StandIn, startStandIn } from "./stand-in.ts";

describe("refuse a deployment", function () {
  this.timeout(60_000);
  const { people, roles } = makePeople();
  let chain: StandIn;
  let bare: StandIn;
  let place: Awaited<ReturnType<typeof makeFolder>>;

  const faultsOf = async (target: StandIn, account = privateKeyToAccount(people.deployer.key), changed = roles) =>
    (await prepareDeployment(makeJob(target, account, changed, place.folder))).objections.faults;
  const deploy = (args: readonly string[], key: string) => {
    const common = ["--rpc-url", chain.rpcUrl, "--roles", place.rolesPath, "--out", place.folder, "--json"];
    return runTool("deploy", [...common, ...args], { ARCADE_DEPLOYER_KEY: key });
  };

  before(async () => {
    chain = await startStandIn();
    bare = await startStandIn({ chainId: 8_453, createX: false });
    place = await makeFolder(roles);
    await chain.client.setBalance({ address: people.deployer.address, value: GAS_MONEY });
  });
  after(async () => {
    await Promise.all([chain.close(), bare.close()]);
    await place.remove();
  });

  it("sends nothing unasked, and says how to answer", async () => {
    const outcome = await deploy(["--network", "baseSepolia"], people.deployer.key);
    expect(outcome.code).to.equal(2);
    expect(outcome.stderr).to.include("--yes").and.to.include("8 transactions");
    expect(await chain.client.getTransactionCount({ address: people.deployer.address })).to.equal(0);
    expect(await stat(join(place.folder, "84532")).catch(() => null)).to.equal(null);
  });

  it("refuses a development key as the deployer", async () => {
    const outcome = await deploy(["--network", "baseSepolia", "--yes"], developmentAccount(3).privateKey);
    expect(outcome.code).to.equal(4);
    expect(outcome.answer!.error).to.include("everybody knows");
  });

  it("says where a key comes from when there is none", async () => {
    const outcome = await deploy(["--network", "baseSepolia", "--yes"], "");
    expect(outcome.code).to.equal(4);
    expect(outcome.answer!.next).to.include("npx hardhat keystore set ARCADE_DEPLOYER_KEY");
  });

  it("refuses another chain than the named one", async () => {
    const { code, answer } = await deploy(["--network", "sepolia", "--plan"], people.deployer.key);
    expect(code).to.equal(3);
    expect(answer!.error).to.include("11155111").and.to.include("84532");
  });

  it("refuses a deployer that cannot pay, in ether", async () => {
    const poor = makePeople().people.deployer;
    const { code, answer } = await deploy(["--network", "baseSepolia", "--yes"], poor.key);
    expect(code).to.equal(3);
    expect(answer!.error).to.match(/the deployer has 0 ETH, [\d.]+ are needed/);
  });

  it("refuses development accounts and the deployer in any duty", async () => {
    const known = developmentAccount(0).address;
    const changed = { ...roles, guardian: people.deployer.address, signers: { ...roles.signers, score: known } };
    const faults = await faultsOf(chain, undefined, changed);
    expect(faults.map((fault) => fault.split(":")[0])).to.deep.equal(["guardian", "signers.score"]);
  });

  it("refuses a plain key as the admin where tokens have a price, and a chain without the factory", async () => {
    await bare.client.setBalance({ address: people.deployer.address, value: GAS_MONEY });
    const faults = await faultsOf(bare).catch((error: Error) => [error.message]);
    expect(faults.map((fault) => fault.split(":")[0])).to.deep.equal(["admin", "CreateX"]);
  });

  it("does not go on with another deployment than the one that was begun", async () => {
    const { folder, remove } = await makeFolder(roles);
    const job = makeJob(chain, people.deployer, roles, folder);
    await (await prepareDeployment(job)).execute(() => {});
    expect((await prepareDeployment(job)).progress).to.equal("complete");
    const other = { ...job, parameters: { ...job.parameters, signerDelaySeconds: 200_000 } };
    const message = (error: unknown): string => (error as Error).message;
    const refused = await prepareDeployment(other).catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(DifferentDeploymentError);
    expect(message(refused)).to.include("parameters have changed");
    const salted = await prepareDeployment({ ...job, saltLabel: "other" }).catch(message);
    expect(salted).to.include("another salt");
    const state = join(job.folder, "state.json");
    const begun = JSON.parse(await readFile(state, "utf8"));
    await writeFile(state, JSON.stringify({ ...begun, genesisHash: `0x${"0".repeat(64)}` }));
    expect(await prepareDeployment(job).catch(message)).to.include("another chain with the same id");
    await remove();
  });
});

describe("read a file of roles", () => {
  it("names every fault of the file at once, and takes limits", async () => {
    const { roles } = makePeople();
    const { folder, remove } = await makeFolder(roles);
    const path = join(folder, "other.json");
    const bad = { ...roles, admin: "0x12", treasury: undefined, publicUrl: "ftp://x", float: 12, extra: 1 };
    await writeFile(path, JSON.stringify(bad));
    const { message } = (await readRoles(path).catch((error: unknown) => error)) as Error;
    for (const name of ["admin:", "treasury:", "publicUrl:", "float:", "extra"]) expect(message).to.include(name);
    await writeFile(path, JSON.stringify({ ...roles, float: "7", rewards: { minScore: "5" } }));
    const { override } = await readRoles(path);
    const changed = override({ float: 1n, rewards: { minScore: 1n, dailyCap: 3n } } as never);
    expect(changed).to.deep.equal({ float: 7n, rewards: { minScore: 5n, dailyCap: 3n } });
    await remove();
  });
});

describe("refuse code that was compiled for coverage", () => {
  const library = "@nomicfoundation/edr/coverage";

  it("knows it by the address that it calls, and takes the real code", async () => {
    const fromHardhat = createRequire(import.meta.resolve("hardhat"));
    const { content } = fromHardhat(library).getCoverageLibrary() as { content: string };
    const [address] = /0x[0-9a-fA-F]{40}/.exec(content)!;
    const real = await loadArtifact("RewardToken");
    const counting = { ...real, bytecode: `${real.bytecode}73${address.slice(2)}` };
    expect(() => refuseCounting(counting)).to.throw("npx hardhat build --force");
  });
});
