import Database from "better-sqlite3";
import { expect } from "chai";
import { hashJson } from "../../backend/adapters/signer/keccak.ts";
import { createLocalSigner } from "../../backend/adapters/signer/signers.ts";
import { openStore } from "../../backend/adapters/store/open-store.ts";
import type { Fresh } from "../../backend/ports/chain.ts";
import type { Store } from "../../backend/ports/store/store.ts";
import { SignedCalls } from "../../backend/services/signed-calls.ts";
import { createIdentityMint } from "../../backend/services/signing-requests.ts";
import { createTempDatabase } from "../adapters/store/suite.ts";

const WALLET = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const CONTRACT = "0x0000000000000000000000000000000000000001";
const KEY = `0x${"42".repeat(32)}` as const;
const at = { number: 1, hash: `0x${"ab".repeat(32)}`, timestamp: 1_000, nextTimestamp: 1_000 } as const;
const nonce = { value: 3n, at } as unknown as Fresh<bigint>;

const createMint = (digit: string) =>
  createIdentityMint({
    wallet: WALLET,
    metadataDigest: `0x${digit.repeat(64)}`,
    nonce,
    contract: CONTRACT,
    deadline: undefined,
  });

describe("a signed call", () => {
  let folder: ReturnType<typeof createTempDatabase>;
  let store: Store;
  /** Another connection, which sees only committed rows. */
  let other: Database.Database;
  let rowsAtSigning: number[];
  let calls: SignedCalls;

  beforeEach(async () => {
    folder = createTempDatabase();
    store = await openStore({ databaseUrl: folder.databaseUrl });
    other = new Database(folder.file, { readonly: true });
    rowsAtSigning = [];
    const signer = createLocalSigner(KEY);
    calls = new SignedCalls({
      signings: store.signings,
      signers: () => ({
        address: signer.address,
        sign: (typedData) => {
          rowsAtSigning.push(other.prepare("select count(*) from signings").pluck().get() as number);
          return signer.sign(typedData);
        },
      }),
      hashJson,
      chain: { deployment: { chainId: 31337 } as never },
      clock: { nowMs: () => 1_000 } as never,
      log: { error: () => undefined } as never,
    });
  });
  afterEach(async () => {
    other.close();
    await store.close();
    folder.remove();
  });

  it("is recorded and committed before it is signed", async () => {
    await Promise.all([calls.prepare(createMint("a")), calls.prepare(createMint("b"))]);
    await calls.prepare(createMint("c"));
    expect(rowsAtSigning).to.deep.equal([2, 2, 3]);
  });

  it("is signed only when its related rows are also committed", async () => {
    const events: string[] = [];
    const prepared = calls.prepare(createMint("a"), () =>
      store.identities
        .putMetadata({ digest: "a".repeat(64), bytes: "{}", atMs: 1, wallet: WALLET })
        .then(() => events.push(`stored, ${rowsAtSigning.length} signed`)),
    );
    await prepared;
    expect(events).to.deep.equal(["stored, 0 signed"]);
    const failed = calls.prepare(createMint("b"), () => Promise.reject(new Error("given up")));
    expect(await failed.catch((error: Error) => error.message)).to.equal("given up");
    expect(rowsAtSigning).to.have.length(1);
  });

  it("with other facts under a known key is not signed", async () => {
    const mint = createMint("a");
    await calls.prepare(mint);
    const changed = { ...mint, facts: { ...mint.facts, to: CONTRACT } };
    expect(await calls.prepare(changed).catch((error: { code: string }) => error.code)).to.equal("INTERNAL");
    expect(rowsAtSigning).to.have.length(1);
  });
});
