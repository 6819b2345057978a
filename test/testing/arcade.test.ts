import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { createPublicClient, http } from "viem";
import { requireNode } from "../../testing/errors.ts";
import { useArcade } from "../../testing/fixtures/mocha.ts";
import { buildImages } from "../../testing/images.ts";
import { type Arcade, type ArcadeOptions, STAGES, startArcade, TestingError } from "../../testing/index.ts";

const IMAGE_FILES = ["chain/journal.jsonl", "deployment.json", "arcade.db", "credentials.json"];

const catchError = (work: Promise<unknown>): Promise<TestingError> =>
  work.then(
    () => Promise.reject(new Error("nothing was thrown")),
    (error) => error as TestingError,
  );

const readHead = async ({ chain }: Arcade): Promise<string> =>
  ((await chain.request("eth_getBlockByNumber", ["latest", false])) as { hash: string }).hash;
const readBank = async ({ client }: Arcade): Promise<unknown> => (await client.rewards.scorebank({})).score;

describe("a stage of the testing package", () => {
  it("has the same bytes in each run, every file of every stage", async () => {
    const folders = await Promise.all([1, 2].map(() => mkdtemp(join(tmpdir(), "arcade-images-test-"))));
    const request = { seed: 7, atMs: Date.UTC(2026, 0, 1), stage: "paid" } as const;
    for (const folder of folders) await buildImages({ ...request, folder });
    const read = (folder: string) =>
      Promise.all(STAGES.flatMap((stage) => IMAGE_FILES.map((name) => readFile(join(folder, stage, name)))));
    const [one, other] = await Promise.all(folders.map(read));
    const different = one!.flatMap((bytes, index) => (bytes.equals(other![index]!) ? [] : [index]));
    expect(different).to.deep.equal([]);
    await Promise.all(folders.map((folder) => rm(folder, { recursive: true })));
  });

  it("is rejected with the possible ones if it is unknown, as are other wrong options", async () => {
    const wrong: readonly [object, string, RegExp][] = [
      [{ at: "finished" }, "UNKNOWN_STAGE", /at: expected deployed, registered, .*paid; received "finished"/],
      [{ seed: -1 }, "INVALID_OPTION", /seed: expected a whole number from 0 to 4294967295; received -1/],
      [{ seed: "7" }, "INVALID_OPTION", /received "7"/],
      [{ backends: 2 }, "INVALID_OPTION", /backends: expected 1 .*received 2/],
      [{ stage: "paid" }, "INVALID_OPTION", /options: expected at, seed, .*env; received "stage"/],
      [{ port: 65_536 }, "INVALID_OPTION", /port: .* to 65535/],
    ];
    for (const [options, code, message] of wrong) {
      const error = await catchError(startArcade(options as ArcadeOptions));
      expect(error).to.be.instanceOf(TestingError);
      expect(error.code).to.equal(code);
      expect(error.message).to.match(message);
    }
  });

  it("is not started by a Node version for which npm skips native files", () => {
    for (const version of ["22.18.0", "22.19.1", "24.0.0"]) requireNode(version);
    for (const version of ["20.20.2", "22.17.9"])
      expect(() => requireNode(version)).to.throw(TestingError, `Node: expected 22.18 or later; received ${version}`);
  });

  it("is not started on a port in use", async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as { port: number };
    try {
      for (const options of [{ port }, { rpcPort: port }])
        expect(await catchError(startArcade(options))).to.include({ code: "PORT_IN_USE" });
    } finally {
      server.close();
    }
  });
});

describe("a stack of the testing package", () => {
  const arcade = useArcade({ at: "score-on-chain", seed: 7, fastSessions: true });

  it("starts with its stage's score and a funded, signed-in player", async () => {
    expect(await readBank(arcade)).to.be.greaterThan(0);
    expect(arcade.client.signIn.credentials()).to.not.equal(null);
    const client = createPublicClient({ transport: http(arcade.rpcUrl) });
    const { abi, address } = arcade.contracts.rewards;
    const bank = await client.readContract({
      abi,
      address,
      functionName: "getScorebank",
      args: [arcade.accounts[0]!.address],
    });
    expect(Number(bank)).to.equal(await readBank(arcade));
    const payout = { abi, address, functionName: "payout", args: [arcade.accounts[0]!.address] } as const;
    await client.simulateContract({ ...payout, account: arcade.accounts[0]!.address });
    const error = await catchError(client.simulateContract({ ...payout, account: arcade.accounts[1]!.address }));
    expect(error.message).to.include("NotWalletOrOperator(address caller)");
  });

  it("plays a ranked session on the same course with the same score after each reset", async () => {
    const play = () => arcade.play({ slug: "flappybots" });
    const first = await play();
    expect(first.score).to.be.greaterThan(0);
    await arcade.reset();
    const again = await play();
    expect(again.score).to.equal(first.score);
  });

  it("ends a session with a chosen score, which counts after its snapshot", async () => {
    const session = await arcade.endSession({ score: 40 });
    expect(session.score).to.be.within(40, 60);
    const { session: record } = await arcade.client.sessions.get(session);
    expect(record).to.deep.include({ score: session.score, source: "agent_api", test: true });
    const practice = await arcade.client.sessions.start({ slug: "flappybots", source: "browser_ws" });
    expect(practice.session).to.not.have.property("test");
  });

  it("restores chain, store and clock to a snapshot, and forgets later ones", async () => {
    const start = { head: await readHead(arcade), nowMs: arcade.clock.nowMs() };
    await arcade.endSession({ score: 10 });
    const first = await arcade.snapshot();
    const head = await readHead(arcade);
    await arcade.clock.advance(86_400_000);
    await arcade.endSession({ score: 10 });
    const later = await arcade.snapshot();
    expect((await arcade.client.sessions.my({ slug: "shellrunners" })).total).to.equal(3);
    await arcade.restore(first);
    await arcade.restore(first);
    expect(await readHead(arcade)).to.equal(head);
    expect((await arcade.client.sessions.my({ slug: "shellrunners" })).total).to.equal(2);
    expect(arcade.clock.nowMs() - start.nowMs).to.be.below(60_000);
    const error = await catchError(arcade.restore(later));
    expect(error).to.include({ code: "UNKNOWN_SNAPSHOT" });
    expect(error.message).to.include(`expected stage, ${first}; received`);
    await arcade.reset();
    expect(await readHead(arcade)).to.equal(start.head);
  });

  it("advances the clocks of chain and service together", async () => {
    const getChainMs = async () =>
      Number(
        ((await arcade.chain.request("eth_getBlockByNumber", ["latest", false])) as { timestamp: string }).timestamp,
      ) * 1_000;
    await arcade.clock.advance(3 * 86_400_000);
    expect(Math.abs((await getChainMs()) - arcade.clock.nowMs())).to.be.below(2_500);
    const { session } = await arcade.client.sessions.start({ slug: "flappybots", source: "browser_ws" });
    expect(Math.abs(Date.parse(session.startedAt) - arcade.clock.nowMs())).to.be.below(2_500);
  });

  it("leaves nothing behind when it is closed, and closes only once", async () => {
    const other = await startArcade();
    await Promise.all([other.close(), other.close()]);
    for (const url of [other.httpUrl, other.rpcUrl])
      expect(String(await catchError(fetch(url)))).to.match(/fetch failed/);
  });
});
