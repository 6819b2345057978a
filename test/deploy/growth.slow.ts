import { rm } from "node:fs/promises";
import { expect } from "chai";
import { parseAbi } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { checkContracts, findUrlWarning } from "../../backend/main.ts";
import { prepareDeployment } from "../../deploy/execute-public.ts";
import type { ArcadeParameters } from "../../deploy/modules/parameters.ts";
import { useEach } from "../helpers/fixture.ts";
import { createDeployOptions, FUNDED_BALANCE_WEI, openTestnet, runDeployment } from "./job.ts";
import { createTestAccounts } from "./testnet.ts";

const SLUG_ABI = parseAbi(["function slug() view returns (string)"]);
const ADMIN_ABI = parseAbi([
  "function beginDefaultAdminTransfer(address newAdmin)",
  "function defaultAdmin() view returns (address)",
]);
const NEW_GAME = { slug: "ping-pong", nft: { name: "Ping Pong", symbol: "PING", tiers: [{ minScore: 10 }] } };

describe("grow a public deployment", () => {
  const { people, roles } = createTestAccounts();
  const signer = createTestAccounts().people.score.address;
  const account = privateKeyToAccount(people.deployer.key);

  const addGame = (parameters: ArcadeParameters): ArcadeParameters => ({
    ...parameters,
    games: [...parameters.games, NEW_GAME],
    signers: { ...parameters.signers, nft: { ...parameters.signers.nft, [NEW_GAME.slug]: signer } },
  });
  const options = () => createDeployOptions(testnet.chain, account, roles, testnet.place.folder);
  const grownOptions = () => createDeployOptions(testnet.chain, account, roles, testnet.place.folder, addGame);
  const countSent = () => testnet.chain.client.getTransactionCount({ address: account.address });

  const testnet = useEach(() => openTestnet({ people, roles }));

  it("adds the contract of a new game and changes nothing else", async () => {
    const first = await runDeployment(options());
    const sent = await countSent();
    const prepared = await prepareDeployment(grownOptions());
    expect(prepared.progress).to.equal("growing");
    expect(prepared.plan.steps.filter(({ isDone }) => !isDone).map(({ name }) => name)).to.deep.equal([
      "GameNFT_ping_pong.GameNFT",
    ]);
    const grown = await prepared.execute(() => {});
    expect(await countSent()).to.equal(sent + 1);
    const address = grown.nft[NEW_GAME.slug]!;
    expect(grown).to.deep.include({ identity: first.identity, rewards: first.rewards, startBlock: first.startBlock });
    expect(grown.nft).to.deep.equal({ ...first.nft, [NEW_GAME.slug]: address });
    expect(await testnet.chain.client.readContract({ address, abi: SLUG_ABI, functionName: "slug" })).to.equal(
      NEW_GAME.slug,
    );
    expect((await prepareDeployment(grownOptions())).progress).to.equal("complete");
  });

  it("gives a new game the planned roles, and rejects an admin that is not planned", async () => {
    const { client } = testnet.chain;
    const { address } = people.treasury;
    const { rewards } = await runDeployment(options());
    await client.setBalance({ address: people.admin.address, value: FUNDED_BALANCE_WEI });
    const begin = { address: rewards, abi: ADMIN_ABI, functionName: "beginDefaultAdminTransfer", args: [address] };
    const hash = await client.writeContract({ account: people.admin, ...begin } as never);
    await client.waitForTransactionReceipt({ hash });
    const prepare = (next = {}) =>
      prepareDeployment({
        ...grownOptions(),
        parameters: { ...grownOptions().parameters, next },
        findDifferences: async () => [],
      });
    expect(((await prepare().catch((cause: Error) => cause)) as Error).message).to.include(`will be ${address}`);
    const grown = await (await prepare({ admin: address })).execute(() => {});
    const contract = { address: grown.nft[NEW_GAME.slug]!, abi: ADMIN_ABI } as const;
    expect(await client.readContract({ ...contract, functionName: "defaultAdmin" })).to.equal(address);
    expect((await prepare({ admin: address })).progress).to.equal("complete");
  });

  it("adopts the contracts on chain when the folder and the addresses file are lost", async () => {
    const first = await runDeployment(options());
    const sent = await countSent();
    const { folder, recordPath } = options();
    await rm(folder, { recursive: true });
    await rm(recordPath);
    const prepared = await prepareDeployment(options());
    expect(prepared.progress).to.equal("complete");
    expect(await prepared.execute(() => {})).to.deep.equal(first);
    expect(await countSent()).to.equal(sent);
  });

  it("refuses to deploy a second set of contracts beside the addresses file of the first", async () => {
    await runDeployment(options());
    const { folder } = options();
    await rm(folder, { recursive: true });
    const raised = { ...options(), parameters: { ...options().parameters, royaltyBasisPoints: 300 } };
    const error = await prepareDeployment(raised).catch((cause: Error) => cause);
    expect((error as Error).message).to.match(/GameNFT_\w+\.GameNFT is at 0x/);
  });

  it("does not fund twice when the float is approved and the run is interrupted before the funding", async () => {
    const stopped = { ...options(), parameters: options().parameters };
    const { execute } = await prepareDeployment(stopped);
    const stop = async () =>
      execute(({ kind, ...event }) => {
        if (kind === "done" && "step" in event && event.step.endsWith("approve")) throw new Error("stopped");
      });
    expect(((await stop().catch((cause: Error) => cause)) as Error).message).to.equal("stopped");
    await rm(options().folder, { recursive: true });
    const prepared = await prepareDeployment(options());
    expect(prepared.progress).to.equal("interrupted");
    const open = prepared.plan.steps.filter(({ isDone }) => !isDone).map(({ name }) => name.split(".").at(-1));
    expect(open).to.deep.equal(["fund", "transfer"]);
    await prepared.execute(() => {});
    expect(await countSent()).to.equal(prepared.plan.steps.length);
  });

  it("starts a server only if every game has a contract, and reports the missing game", async () => {
    const record = await runDeployment(options());
    expect(checkContracts(record, { games: [] }), "to warn of").to.deep.equal(Object.keys(record.nft));
    const games = [{ slug: NEW_GAME.slug }] as never;
    expect(() => checkContracts(record, { games })).to.throw(/none for ping-pong/);
  });

  it("warns if the public address differs from that of the token documents", async () => {
    const record = await runDeployment(options());
    expect(findUrlWarning({ publicUrl: record.publicUrl }, record)).to.equal(null);
    expect(findUrlWarning({ publicUrl: "https://other.example" }, record))
      .to.include("https://other.example")
      .and.include(record.publicUrl);
  });
});
