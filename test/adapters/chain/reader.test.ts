import { expect } from "chai";
import { keccak256, stringToHex } from "viem";
import { createReader } from "../../../backend/adapters/chain/reader.ts";
import { createRpc } from "../../../backend/adapters/chain/rpc.ts";
import { ArcadeError } from "../../../backend/domain/errors.ts";
import { TestClock } from "../../helpers/test-clock.ts";
import { type Fault, startFaultyNode } from "./faulty-node.ts";
import { connect, eventually, startWorld, type World } from "./world.ts";

const slug = "flappybots";
const hash = keccak256(stringToHex("anything"));

describe("the chain reader", () => {
  let world: World;
  const reader = () => createReader({ rpc: connect(world.rpcUrl), deployment: world.deployment, confirmations: 2 });

  before(async function () {
    this.timeout(60_000);
    world = await startWorld();
  });
  after(() => world.close());

  it("tells an identity from none", async () => {
    const [alice, bob] = world.players;
    const txHash = await world.act.register(alice!);
    const agentId = (await reader().identityOf(alice!.address))!;
    expect(agentId).to.equal(1n);
    expect(await reader().identityOf(bob!.address)).to.equal(null);
    expect(await reader().mintNonceOf(alice!.address)).to.equal(1n);
    expect(await reader().mintNonceOf(bob!.address)).to.equal(0n);
    const identity = await reader().identity(agentId);
    expect(identity?.owner).to.equal(alice!.address);
    expect(identity?.tokenURI).to.match(/^http:\/\/127\.0\.0\.1:1\/api\/metadata\/identity\/(ab){32}\.json$/);
    expect(await reader().identity(99n)).to.equal(null);
    const receipt = await reader().receipt(txHash);
    expect(receipt?.status).to.equal("success");
    expect(receipt?.events).to.deep.equal([
      { name: "Registered", agentId, tokenURI: identity!.tokenURI, owner: alice!.address },
    ]);
  });

  it("reads a scorebank, readiness and caps at one block", async () => {
    const [alice, bob] = world.players;
    const txHash = await world.act.snapshot(alice!, slug, 300, 1);
    const receipt = await reader().receipt(txHash);
    const event = receipt!.events[0]!;
    expect(event).to.include({ name: "ScoreSnapshot", wallet: alice!.address, score: 300n, scorebank: 300n });
    if (event.name !== "ScoreSnapshot") throw new Error("not a snapshot");
    expect(await reader().isSessionConsumed(alice!.address, event.gameSessionHash)).to.equal(true);
    expect(await reader().isSessionConsumed(bob!.address, event.gameSessionHash)).to.equal(false);

    const readiness = await reader().readiness(alice!.address);
    expect(readiness).to.deep.include({ ready: false, reasons: ["COOLDOWN_ACTIVE"], scorebank: 300n });
    expect(readiness.amount).to.equal(300n * 10n ** 18n);
    expect(readiness.caps.float).to.equal(500_000_000n * 10n ** 18n);
    expect(readiness.nextPayoutAt).to.be.greaterThan(Number(readiness.asOf.timestamp));
    const head = await world.client.getBlock();
    expect(readiness.asOf).to.deep.equal({
      number: Number(head.number),
      hash: head.hash,
      timestamp: Number(head.timestamp),
    });
    expect((await reader().readiness(bob!.address)).reasons).to.deep.equal(["SCOREBANK_EMPTY", "IDENTITY_REQUIRED"]);
  });

  it("sees the cooldown pass although no block is mined", async () => {
    const [alice] = world.players;
    const before = await world.client.getBlockNumber();
    await world.client.increaseTime({ seconds: 6 });
    expect((await reader().readiness(alice!.address)).ready).to.equal(true);
    expect(await world.client.getBlockNumber()).to.equal(before);
    const receipt = await reader().receipt(await world.act.payout(alice!));
    expect(receipt?.events[0]).to.include({ name: "Payout", score: 300n, amount: 300n * 10n ** 18n });
    expect(await reader().balanceOf(alice!.address)).to.equal(300n * 10n ** 18n);
    expect((await reader().readiness(alice!.address)).scorebank).to.equal(0n);
  });

  it("reads game NFTs, the token, finality, and what is not there", async () => {
    const [alice] = world.players;
    const txHash = await world.act.nft("mint", alice!, slug, 1n, 800);
    expect((await reader().receipt(txHash))?.events[0]).to.include({ name: "GameNftMinted", slug, tier: 2 });
    expect(await reader().gameNft(slug, 1n)).to.deep.equal({ owner: alice!.address, score: 800n, tier: 2 });
    expect(await reader().gameNft(slug, 2n)).to.equal(null);
    expect(await reader().token()).to.include({ symbol: "ARCD", decimals: 18, address: world.deployment.token });
    expect(await reader().receipt(hash)).to.equal(null);
    const { number } = await reader().head();
    expect(await reader().finality()).to.deep.equal({ safe: number - 2, final: number - 2 });
    expect(await reader().hasCode(world.deployment.token)).to.equal(true);
    expect(await reader().hasCode(alice!.address)).to.equal(false);
  });

  it("asks contract wallets, and takes only their clear yes", async () => {
    const wallet = "0x00000000000000000000000000000000000c0de1";
    // Answers any call: PUSH4 word, shift it to the left of 32 bytes, return them.
    const answering = (word: string) => `0x63${word}60e01b60005260206000f3` as const;
    const verdict = async (bytecode: `0x${string}`) => {
      await world.client.setCode({ address: wallet, bytecode });
      return await reader().isValidSignature(wallet, hash, "0x1234");
    };
    expect(await verdict(answering("1626ba7e"))).to.equal(true);
    expect(await verdict(answering("ffffffff"))).to.equal(false);
    expect(await verdict("0x60006000fd")).to.equal(false);
    expect(await verdict("0x00")).to.equal(false);
    // An invalid opcode, and memory without end: both use up all gas.
    expect(await verdict("0xfe")).to.equal(false);
    expect(await verdict("0x63ffffffff51")).to.equal(false);
  });

  describe("with a node that fails", () => {
    let node: Awaited<ReturnType<typeof startFaultyNode>>;
    beforeEach(async () => {
      node = await startFaultyNode(world.rpcUrl);
    });
    afterEach(() => node.close());

    const setUp = () => {
      const clock = new TestClock();
      const rpc = createRpc({ rpcUrl: node.url, chainId: 31337, clock });
      return { clock, reader: createReader({ rpc, deployment: world.deployment, confirmations: 2 }) };
    };
    const failureOf = async (promise: Promise<unknown>): Promise<ArcadeError> => {
      const error = await promise.then(
        () => null,
        (cause: unknown) => cause,
      );
      expect(error).to.be.instanceOf(ArcadeError);
      return error as ArcadeError;
    };

    for (const fault of [
      "error-502",
      "not-json",
      "rpc-error",
      "cut",
      "other-chain",
    ] as const satisfies readonly Fault[]) {
      it(`answers CHAIN_UNAVAILABLE at once for ${fault}, and reads again when it is over`, async () => {
        const { clock, reader } = setUp();
        node.setFault(fault);
        for (let call = 0; call < 5; call++) {
          const error = await failureOf(reader.readiness(world.players[0]!.address));
          expect(error.code).to.equal("CHAIN_UNAVAILABLE");
          expect(error.message).not.to.include(node.url);
        }
        node.setFault("none");
        clock.advance(1_000);
        expect(await reader.identityOf(world.players[0]!.address)).to.equal(1n);
      });
    }

    for (const fault of ["black-hole", "endless"] as const) {
      it(`gives up after 5 s of ${fault}`, async () => {
        const { clock, reader } = setUp();
        node.setFault(fault);
        const failure = failureOf(reader.readiness(world.players[0]!.address));
        await eventually(() => node.requests() > 0);
        let isOver = false;
        void failure.then(() => {
          isOver = true;
        });
        clock.advance(4_900);
        await new Promise(setImmediate);
        expect(isOver).to.equal(false);
        clock.advance(100);
        expect((await failure).code).to.equal("CHAIN_UNAVAILABLE");
      });
    }

    it("tries a second time after a quick failure", async () => {
      const { reader } = setUp();
      node.failNext(1);
      expect(await reader.identityOf(world.players[0]!.address)).to.equal(1n);
    });

    it("spares the node and the caller after three failures, and lets one caller a second try", async () => {
      const { clock, reader } = setUp();
      node.setFault("error-502");
      for (let call = 0; call < 3; call++) await failureOf(reader.head());
      const asked = node.requests();
      await failureOf(reader.head());
      expect(node.requests()).to.equal(asked);
      clock.advance(1_000);
      await Promise.all([failureOf(reader.head()), failureOf(reader.head())]);
      expect(node.requests()).to.be.within(asked + 1, asked + 2);
    });
  });
});
