import { expect } from "chai";
import type { ChainReader, Fresh, FreshHead, FreshReads, GameNftRecord } from "../../backend/ports/chain.ts";
import type { SessionRow } from "../../backend/ports/store/sessions.ts";
import type { Identity } from "../../backend/services/identity/identity.ts";
import { getDeadline } from "../../backend/services/signed-calls.ts";
import {
  createGameNftCall,
  createIdentityMint,
  createSnapshot,
  createSnapshotBatch,
} from "../../backend/services/signing-requests.ts";

const WALLET = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const CONTRACT = "0x0000000000000000000000000000000000000001";
const DIGEST = `0x${"ab".repeat(32)}` as const;

const createHead = (nextTimestamp: number): FreshHead => ({
  number: nextTimestamp,
  hash: DIGEST,
  timestamp: nextTimestamp - 500,
  nextTimestamp,
});
/** A value as from the chain reader. The types prevent other code from making this cast. */
const readAt = <Value>(timestamp: number, value: Value): Fresh<Value> =>
  ({ value, at: createHead(timestamp) }) as unknown as Fresh<Value>;

const NFT = { wallet: WALLET, slug: "shellrunners", tokenId: 7n, score: 12, contract: CONTRACT } as const;

/** Type-checked but never run. Each line below an expectation would sign a value that may come from a cache. */
function checkThatCachedFactsDoNotCompile(
  identity: Pick<Identity, "requireIdentity">,
  chain: Pick<ChainReader, "getPrimaryIdentity" | "getGameNft" | "isSessionConsumed">,
  reads: FreshReads,
  row: SessionRow,
) {
  return async () => {
    const cached = await identity.requireIdentity(WALLET);
    const record = await reads.getGameNft("shellrunners", 7n);
    const agent = (await reads.getPrimaryIdentity(WALLET)) as Fresh<bigint>;
    // @ts-expect-error the cached identity is a string
    createGameNftCall({ ...NFT, record, identity: cached });
    // @ts-expect-error nor can its value be wrapped by hand: only the chain reader makes fresh facts
    createGameNftCall({ ...NFT, record, identity: { value: BigInt(cached), at: reads.at } });
    // @ts-expect-error a read without its block
    createGameNftCall({ ...NFT, record, identity: (await chain.getPrimaryIdentity(WALLET))! });
    // @ts-expect-error the record of a read without its block
    createGameNftCall({ ...NFT, identity: agent, record: await chain.getGameNft("shellrunners", 7n) });
    // @ts-expect-error an identity that the wallet may not have
    createGameNftCall({ ...NFT, record, identity: await reads.getPrimaryIdentity(WALLET) });
    // @ts-expect-error a nonce that a caller has stated
    createIdentityMint({ wallet: WALLET, metadataDigest: DIGEST, nonce: 3n, contract: CONTRACT, deadline: undefined });
    // @ts-expect-error a read without its block
    createSnapshot({ row, isConsumed: await chain.isSessionConsumed(WALLET, DIGEST) }, CONTRACT);
    // @ts-expect-error one of several without its block
    createSnapshotBatch([{ row, isConsumed: false }], CONTRACT);
    // @ts-expect-error a message that rests on no read of the chain
    return getDeadline({ ...createSnapshot({ row, isConsumed: readAt(1, false) }, CONTRACT), reads: [] });
  };
}

describe("requests to sign", () => {
  it("accept only facts that were read from the chain for the request", () => {
    expect(checkThatCachedFactsDoNotCompile).to.be.a("function");
  });

  it("are valid from the oldest block that was read", () => {
    const identity = readAt(2_000, 7n);
    const record = readAt<GameNftRecord | null>(1_000, null);
    expect(getDeadline(createGameNftCall({ ...NFT, identity, record }))).to.equal(1_600n);
  });

  it("keep the deadline that a wallet has requested", () => {
    const facts = { wallet: WALLET, metadataDigest: DIGEST, nonce: readAt(1_000, 3n), contract: CONTRACT } as const;
    expect(getDeadline(createIdentityMint({ ...facts, deadline: 1_234n }))).to.equal(1_234n);
    expect(createIdentityMint({ ...facts, deadline: undefined }).facts).to.deep.equal({
      to: WALLET,
      metadataDigest: DIGEST,
      nonce: "3",
    });
  });
});
