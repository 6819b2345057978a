import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { type Hex, stringToHex } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import type { DeploymentRecord } from "../../deploy/record.ts";
import { createTypedData } from "../../domain/typed-data/messages.ts";
import { waitFor } from "../adapters/chain/chain-fixture.ts";
import { copyRepository, type RepositoryCopy } from "../helpers/copy.ts";
import { addGame, SLUG } from "../helpers/third-game.ts";
import { LIFECYCLE_ABI } from "./actions.ts";
import { createWorkspace, FUNDED_BALANCE_WEI } from "./job.ts";
import { type AnvilNode, createTestAccounts, runCommand, startAnvil, toSecretsEnv } from "./testnet.ts";

const SCORE = 120n;

describe("add a game to a public deployment that is used", () => {
  const { people, roles } = createTestAccounts();
  const key = generatePrivateKey();
  const wallet = privateKeyToAccount(generatePrivateKey()).address;
  let chain: AnvilNode;
  let workspace: Awaited<ReturnType<typeof createWorkspace>>;
  let copy: RepositoryCopy;
  let first: DeploymentRecord;
  let sent: number;

  const recordPath = () => join(workspace.folder, "84532.json");
  const countSent = () => chain.client.getTransactionCount({ address: people.deployer.address });
  const readRecord = async (): Promise<DeploymentRecord> => JSON.parse(await readFile(recordPath(), "utf8"));
  const getDeployArguments = () => [
    ...["--network", "baseSepolia", "--rpc", chain.rpcUrl, "--roles", workspace.rolesPath],
    ...["--out", workspace.folder, "--confirmations", "1", "--no-verify", "--yes", "--json"],
  ];
  const getServiceEnv = (): NodeJS.ProcessEnv => ({
    ...toSecretsEnv(people),
    [`ARCADE_NFT_SIGNER_KEY_${SLUG.toUpperCase()}`]: key,
    ARCADE_DEPLOYMENT: recordPath(),
    ARCADE_RPC_URL: chain.rpcUrl,
    ARCADE_PORT: "0",
    ARCADE_DATA_DIR: copy.path("data"),
    ARCADE_PUBLIC_URL: roles.publicUrl,
  });
  const readScorebank = () =>
    chain.client.readContract({
      address: first.rewards,
      abi: LIFECYCLE_ABI,
      functionName: "getScorebank",
      args: [wallet],
    });

  before(async () => {
    chain = await startAnvil();
    workspace = await createWorkspace(roles);
    for (const { address } of [people.deployer, people.operator])
      await chain.client.setBalance({ address, value: FUNDED_BALANCE_WEI });
    const deployed = await runCommand("deploy", getDeployArguments(), { ARCADE_DEPLOYER_KEY: people.deployer.key });
    expect(deployed.code, deployed.stderr).to.equal(0);
    first = await readRecord();
    sent = await countSent();
    await addScore(`0x${"1".padStart(64, "0")}`);
    copy = await copyRepository();
    addGame(copy);
  });
  after(async () => {
    await copy?.close();
    await chain.close();
    await workspace.remove();
  });

  async function addScore(hash: Hex): Promise<void> {
    const deadline = (await chain.client.getBlock()).timestamp + 600n;
    const gameId = stringToHex("flappybots", { size: 32 });
    const message = { wallet, gameId, score: SCORE, gameSessionHash: hash, deadline };
    const context = { chainId: chain.chainId, verifyingContract: first.rewards };
    const signature = await people.score.signTypedData(createTypedData("Snapshot", context, message) as never);
    const call = {
      account: people.operator,
      address: first.rewards,
      abi: LIFECYCLE_ABI,
      functionName: "snapshotScoreSigned",
      args: [wallet, gameId, SCORE, hash, deadline, signature],
    };
    const txHash = await chain.client.writeContract(call as never);
    expect((await chain.client.waitForTransactionReceipt({ hash: txHash })).status).to.equal("success");
  }

  it("does not serve a game without a contract, and reports it", async () => {
    const failure = await copy.npm("serve", [], getServiceEnv()).catch((error: Error) => error.message);
    expect(failure).to.include(`none for ${SLUG}`);
  });

  it("requires the new game's signer, deploys only its contract, serves the game and keeps every score", async () => {
    const env = { ARCADE_DEPLOYER_KEY: people.deployer.key };
    const missing = await copy.npm("deploy", getDeployArguments(), env).catch((error: Error) => error.message);
    expect(missing).to.include(`signers.nft.${SLUG}`);
    const nft = { ...roles.signers.nft, [SLUG]: privateKeyToAccount(key).address };
    await writeFile(workspace.rolesPath, JSON.stringify({ ...roles, signers: { ...roles.signers, nft } }));
    const output = await copy.npm("deploy", getDeployArguments(), env);
    const { plan } = JSON.parse(output) as { plan: { steps: { name: string; isDone: boolean }[] } };
    expect(plan.steps.filter(({ isDone }) => !isDone).map(({ name }) => name)).to.deep.equal([
      `GameNFT_${SLUG}.GameNFT`,
    ]);
    expect(await countSent()).to.equal(sent + 1);
    const { nft: contracts, ...grown } = await readRecord();
    const { [SLUG]: added, ...known } = contracts;
    expect(added).to.match(/^0x/);
    expect(known).to.deep.equal(first.nft);
    expect(grown).to.include({ identity: first.identity, rewards: first.rewards, startBlock: first.startBlock });
    expect(await readScorebank()).to.equal(SCORE);

    expect(await serveGames()).to.deep.equal([...Object.keys(first.nft), SLUG]);
  });

  it("serves the known games after a rollback of the code, with the settings and data of the new one", async () => {
    const list = await readFile(copy.path("games/list.ts"), "utf8");
    await writeFile(copy.path("games/list.ts"), list.replace(/.*gloomlanes.*\n/, ""));
    expect(await serveGames()).to.deep.equal(Object.keys(first.nft));
    await writeFile(copy.path("games/list.ts"), list);
    expect(await serveGames()).to.deep.equal([...Object.keys(first.nft), SLUG]);
  });

  /** The games of a ready service, which signs for all of them. */
  async function serveGames(): Promise<readonly string[]> {
    await copy.stop();
    const url = await copy.serve(getServiceEnv());
    const isReady = async () => (await fetch(`${url}/readyz`)).status === 200;
    await waitFor(isReady);
    const { items } = (await (await fetch(`${url}/api/games/catalog`)).json()) as { items: { slug: string }[] };
    return items.map(({ slug }) => slug);
  }
});
