import { expect } from "chai";
import {
  type Address,
  concatHex,
  encodeErrorResult,
  type Hex,
  keccak256,
  numberToHex,
  parseAbi,
  size,
  stringToHex,
  zeroAddress,
} from "viem";
import { createReader } from "../../../backend/adapters/chain/reader/reader.ts";
import type { ArcadeError } from "../../../domain/errors.ts";
import { startServer } from "../../helpers/http-server.ts";
import { createTestRpc, useChain } from "./chain-fixture.ts";

const slug = "flappybots";
const hash = keccak256(stringToHex("anything"));

/** Code that reverts any call with `OffchainLookup`, with which a contract requests data from a server. */
function compileLookup(sender: Address, url: string): Hex {
  const abi = parseAbi(["error OffchainLookup(address, string[], bytes, bytes4, bytes)"]);
  const args = [sender, [url], "0x", "0x1626ba7e", "0x"] as const;
  const data = encodeErrorResult({ abi, errorName: "OffchainLookup", args });
  const length = numberToHex(size(data), { size: 2 });
  // CODECOPY of the data behind these 14 bytes, and REVERT with it.
  return concatHex(["0x61", length, "0x600e60003961", length, "0x6000fd", data]);
}

describe("the chain reader", () => {
  const fixture = useChain();
  const reader = () => createReader({ rpc: createTestRpc(fixture.rpcUrl), deployment: fixture.deployment });

  it("the reader returns the identity of a wallet, or null", async () => {
    const [alice, bob] = fixture.players;
    const txHash = await fixture.actions.register(alice!);
    const agentId = (await reader().getPrimaryIdentity(alice!.address))!;
    expect(agentId).to.equal(1n);
    expect(await reader().getPrimaryIdentity(bob!.address)).to.equal(null);
    const reads = await reader().openFreshReads();
    expect(await reads.getPrimaryIdentity(alice!.address)).to.deep.equal({ value: agentId, at: reads.at });
    expect((await reads.getMintNonce(alice!.address)).value).to.equal(1n);
    expect((await reads.getMintNonce(bob!.address)).value).to.equal(0n);
    const identity = await reader().getIdentity(agentId);
    expect(identity?.owner).to.equal(alice!.address);
    expect(identity?.tokenURI).to.match(/^http:\/\/127\.0\.0\.1:1\/api\/metadata\/agent\/(ab){32}\.json$/);
    expect(await reader().getIdentity(99n)).to.equal(null);
    const receipt = await reader().getReceipt(txHash);
    expect(receipt?.status).to.equal("success");
    expect(receipt?.events).to.deep.equal([
      { name: "Transfer", slug: null, from: zeroAddress, to: alice!.address, tokenId: agentId },
      { name: "Registered", agentId, tokenURI: identity!.tokenURI, owner: alice!.address },
    ]);
  });

  it("the reader reads scorebank, readiness and caps at one block", async () => {
    const [alice, bob, carol] = fixture.players;
    const txHash = await fixture.actions.snapshot(alice!, slug, 300, 1);
    const receipt = await reader().getReceipt(txHash);
    const event = receipt!.events[0]!;
    expect(event).to.include({ name: "ScoreSnapshot", wallet: alice!.address, score: 300n, scorebank: 300n });
    if (event.name !== "ScoreSnapshot") throw new Error("not a snapshot");
    expect(await reader().isSessionConsumed(alice!.address, event.gameSessionHash)).to.equal(true);
    expect(await reader().isSessionConsumed(bob!.address, event.gameSessionHash)).to.equal(false);

    // Of an identity registered just before: alice's cooldown may be over on a busy machine.
    await fixture.actions.register(carol!);
    await fixture.actions.snapshot(carol!, slug, 300, 1);
    const readiness = await reader().getReadiness(carol!.address);
    expect(readiness).to.deep.include({
      ready: false,
      reasons: ["COOLDOWN_ACTIVE", "IDENTITY_TOO_NEW"],
      scorebank: 300n,
    });
    expect(readiness.amount).to.equal(300n * 10n ** 18n);
    expect(readiness.caps.float).to.equal(500_000_000n * 10n ** 18n);
    expect(readiness.nextPayoutAt).to.be.greaterThan(Number(readiness.asOf.timestamp));
    const head = await fixture.client.getBlock();
    expect(readiness.asOf).to.deep.equal({
      number: Number(head.number),
      hash: head.hash,
      timestamp: Number(head.timestamp),
    });
    expect((await reader().getReadiness(bob!.address)).reasons).to.deep.equal(["SCOREBANK_EMPTY", "IDENTITY_REQUIRED"]);
  });

  it("the cooldown ends although no block is mined", async () => {
    const [alice] = fixture.players;
    const before = await fixture.client.getBlockNumber();
    await fixture.client.increaseTime({ seconds: 6 });
    expect((await reader().getReadiness(alice!.address)).ready).to.equal(true);
    expect(await fixture.client.getBlockNumber()).to.equal(before);
    const receipt = await reader().getReceipt(await fixture.actions.payout(alice!));
    expect(receipt?.events[0]).to.include({ name: "Payout", score: 300n, amount: 300n * 10n ** 18n });
    expect(await reader().getBalance(alice!.address)).to.equal(300n * 10n ** 18n);
    expect((await reader().getReadiness(alice!.address)).scorebank).to.equal(0n);
  });

  it("the reader reads game NFTs, the token and finality, and null for what does not exist", async () => {
    const [alice] = fixture.players;
    const txHash = await fixture.actions.nft("mint", alice!, slug, 1n, 800);
    const events = (await reader().getReceipt(txHash))?.events;
    expect(events?.map(({ name }) => name)).to.deep.equal(["Transfer", "GameNftMinted"]);
    expect(events?.[1]).to.include({ slug, tier: 2 });
    expect(await reader().getGameNft(slug, 1n)).to.deep.equal({ owner: alice!.address, score: 800n, tier: 2 });
    expect(await reader().getGameNft(slug, 2n)).to.equal(null);
    expect(await reader().getTokenInfo()).to.include({
      symbol: "ARCD",
      decimals: 18,
      address: fixture.deployment.token,
    });
    expect(await reader().getReceipt(hash)).to.equal(null);
    expect(await reader().hasCode(fixture.deployment.token)).to.equal(true);
    expect(await reader().hasCode(alice!.address)).to.equal(false);
  });

  it("the chain reader reads the holder of an identity at an earlier block", async () => {
    const bob = fixture.players[1]!;
    const chain = reader();
    const before = (await chain.getHead()).number;
    await fixture.actions.register(bob);
    const after = (await chain.getHead()).number;
    expect(await chain.getPrimaryIdentityAt(bob.address, before)).to.equal(null);
    expect(await chain.getPrimaryIdentityAt(bob.address, after)).to.equal(await chain.getPrimaryIdentity(bob.address));
    // A block whose state the node lacks.
    const readError = await chain.getPrimaryIdentityAt(bob.address, after + 1_000_000).catch((error: unknown) => error);
    expect(readError).to.include({ code: "CHAIN_UNAVAILABLE" });
    expect(await chain.getPrimaryIdentity(bob.address), "the node itself is well").to.be.a("bigint");
  });

  it("a contract wallet's signature is valid only with the magic value", async () => {
    const wallet = "0x00000000000000000000000000000000000c0de1";
    // Code that returns `word` for any call: PUSH4 word, shift it to the left of 32 bytes, return them.
    const compileReturn = (word: string) => `0x63${word}60e01b60005260206000f3` as const;
    const isAccepted = async (bytecode: `0x${string}`) => {
      await fixture.client.setCode({ address: wallet, bytecode });
      return await reader().isValidSignature(wallet, hash, "0x1234");
    };
    expect(await isAccepted(compileReturn("1626ba7e"))).to.equal(true);
    expect(await isAccepted(compileReturn("ffffffff"))).to.equal(false);
    expect(await isAccepted("0x60006000fd")).to.equal(false);
    expect(await isAccepted("0x00")).to.equal(false);
    // An invalid opcode and unlimited memory: both use up all gas.
    expect(await isAccepted("0xfe")).to.equal(false);
    expect(await isAccepted("0x63ffffffff51")).to.equal(false);
  });

  it("a contract wallet cannot make the service send a request to another server (ERC-3668)", async () => {
    const asked: (string | undefined)[] = [];
    const server = await startServer((_, response, request) => {
      asked.push(request.url);
      response.end(JSON.stringify({ data: "0x" }));
    });
    try {
      const url = `${server.url}/{sender}/{data}`;
      const wallet = "0x00000000000000000000000000000000000c0de1";
      await fixture.client.setCode({ address: wallet, bytecode: compileLookup(wallet, url) });
      const accepted = await reader()
        .isValidSignature(wallet, hash, "0x1234")
        .catch((error: ArcadeError) => error.code);
      expect({ asked, accepted }).to.deep.equal({ asked: [], accepted: false });
    } finally {
      server.close();
    }
  });
});
