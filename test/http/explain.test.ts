import { expect } from "chai";
import { hashTypedData } from "viem";
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";
import { developmentServiceAccount } from "../../backend/config/dev-keys.ts";
import { makeTypedData, type TypedData } from "../../backend/domain/typed-data.ts";
import { expectProblem } from "../helpers/problem.ts";
import { type Suite, startSuite } from "../helpers/suite.ts";

const PATH = "/api/dev/typed-data/explain";
const WALLET = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

type Hex = `0x${string}`;
type Mutation = (data: TypedData) => TypedData;

describe("the explain tool", () => {
  let suite: Suite;
  let signer: PrivateKeyAccount;
  let snapshot: TypedData;
  before(async () => {
    suite = await startSuite();
    signer = privateKeyToAccount(developmentServiceAccount(4).privateKey);
    snapshot = makeTypedData(
      "Snapshot",
      { chainId: 31337, verifyingContract: suite.deployment.rewards },
      {
        wallet: WALLET,
        gameId: `0x${Buffer.from("shellrunners").toString("hex").padEnd(64, "0")}`,
        score: "420",
        gameSessionHash: `0x${"ab".repeat(32)}`,
        deadline: "1893456000",
      },
    );
  });
  after(() => suite.close());

  const sign = (data: TypedData, by = signer): Promise<Hex> => by.signTypedData(data as never);
  const explain = async (body: object) => {
    const answer = await suite.request("POST", PATH, { body });
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
    return answer.body;
  };
  const domain =
    (more: object): Mutation =>
    (data) => ({ ...data, domain: { ...data.domain, ...more } });
  const message =
    (more: object): Mutation =>
    (data) => ({ ...data, message: { ...data.message, ...more } });

  it("finds nothing wrong with what the service signed, given as the whole response", async () => {
    const { body: response } = await suite.request("POST", "/api/identity/register", {
      body: { walletAddress: WALLET, agentName: "Pinch" },
    });
    const found = await explain({ response });
    expect(found).to.include({
      matches: true,
      primaryType: "MintIdentity",
      digest: response.digest,
      typeString: "MintIdentity(address to,bytes32 metadataDigest,uint256 nonce,uint256 deadline)",
      contract: suite.deployment.identity,
    });
    expect(found.expectedSigners).to.deep.equal([developmentServiceAccount(3).address]);
    expect(found.recovered).to.equal(developmentServiceAccount(3).address);
    expect(found.differences).to.deep.equal([]);
    expect(found.chainDomain).to.deep.equal(response.typedData.domain);
  });

  describe("names the field that was signed otherwise", () => {
    const cases: readonly (readonly [string, Mutation, string, string])[] = [
      ["another chain id", domain({ chainId: 1 }), "domain.chainId", "1"],
      ["another name", domain({ name: "AgentIdentity" }), "domain.name", "AgentIdentity"],
      ["another version", domain({ version: "2" }), "domain.version", "2"],
      ["a deadline of an hour later", message({ deadline: "1893459600" }), "message.deadline", "1893459600"],
      ["a deadline in milliseconds", message({ deadline: "1893456000000" }), "message.deadline", "1893456000000"],
      ["the next score", message({ score: "421" }), "message.score", "421"],
    ];
    for (const [title, mutate, field, signed] of cases) {
      it(title, async () => {
        const found = await explain({ typedData: snapshot, signature: await sign(mutate(snapshot)) });
        expect(found.matches).to.equal(false);
        expect(found.signedInstead, found.sentence).to.include({ field, signed });
        expect(found.sentence).to.include(field).and.include(signed);
      });
    }

    it("another contract", async () => {
      const { identity } = suite.deployment;
      const signature = await sign(domain({ verifyingContract: identity })(snapshot));
      const found = await explain({ typedData: snapshot, signature });
      expect(found.signedInstead).to.include({ field: "domain.verifyingContract", signed: identity });
    });

    it("no contract at all", async () => {
      const { verifyingContract: _, ...rest } = snapshot.domain;
      const { EIP712Domain: __, ...types } = snapshot.types;
      const found = await explain({
        typedData: snapshot,
        signature: await sign({ ...snapshot, domain: rest, types } as TypedData),
      });
      expect(found.signedInstead).to.include({ field: "domain.verifyingContract", signed: "(absent)" });
    });

    it("two fields swapped", async () => {
      const { gameId, gameSessionHash } = snapshot.message;
      const signature = await sign(message({ gameId: gameSessionHash, gameSessionHash: gameId })(snapshot));
      const found = await explain({ typedData: snapshot, signature });
      expect(found.signedInstead.field).to.equal("message.gameId");
      expect(found.signedInstead.signed).to.match(/gameSessionHash/);
    });

    it("fields in another order, and of another type", async () => {
      const fields = snapshot.types.Snapshot!;
      const swapped = [fields[0]!, fields[2]!, fields[1]!, ...fields.slice(3)];
      const reordered = { ...snapshot, types: { ...snapshot.types, Snapshot: swapped } };
      const order = await explain({ typedData: snapshot, signature: await sign(reordered) });
      expect(order.signedInstead).to.include({ field: "types.Snapshot" });
      const narrow = fields.map((field) => (field.name === "score" ? { ...field, type: "uint96" } : field));
      const narrowed = { ...snapshot, types: { ...snapshot.types, Snapshot: narrow } };
      const type = await explain({ typedData: snapshot, signature: await sign(narrowed) });
      expect(type.signedInstead).to.include({ field: "types.Snapshot.score", signed: "uint96" });
    });

    it("another primary type with the same fields", async () => {
      const nft = makeTypedData(
        "MintGameNft",
        { chainId: 31337, verifyingContract: suite.deployment.nft.flappybots!, slug: "flappybots" },
        { wallet: WALLET, agentId: "1", score: "420", deadline: "1893456000" },
      );
      const upgrade = { ...nft, primaryType: "UpgradeGameNft" as const };
      const types = { EIP712Domain: nft.types.EIP712Domain!, UpgradeGameNft: nft.types.MintGameNft! };
      const by = privateKeyToAccount(developmentServiceAccount(6).privateKey);
      const found = await explain({ typedData: nft, signature: await sign({ ...upgrade, types }, by) });
      expect(found.expectedSigners).to.deep.equal([by.address]);
      expect(found.signedInstead).to.include({ field: "primaryType", signed: "UpgradeGameNft" });
    });

    it("personal_sign instead of typed data", async () => {
      const digest = hashTypedData(snapshot as never);
      const signature = await signer.signMessage({ message: { raw: digest } });
      const found = await explain({ typedData: snapshot, signature });
      expect(found.signedInstead.field).to.equal("scheme");
      expect(found.signedInstead.signed).to.match(/personal_sign/);
    });
  });

  it("tells which field differs from the chain's own domain, though the signature fits", async () => {
    const foreign = domain({ chainId: 8453, version: "2" })(snapshot);
    const found = await explain({ typedData: foreign, signature: await sign(foreign) });
    expect(found.matches).to.equal(true);
    expect(found.differences).to.deep.equal([
      { field: "domain.version", expected: "1", received: "2" },
      { field: "domain.chainId", expected: "31337", received: "8453" },
    ]);
    expect(found.sentence).to.match(/not what the contract checks/);
  });

  it("tells types that are not the table's", async () => {
    const fields = snapshot.types.Snapshot!.map((field) =>
      field.name === "gameId" ? { ...field, type: "string" } : field,
    );
    const foreign = { ...snapshot, types: { ...snapshot.types, Snapshot: fields } };
    const found = await explain({ typedData: foreign, signature: await sign(foreign) });
    expect(found.differences.map(({ field }: { field: string }) => field)).to.deep.equal(["types"]);
  });

  it("says that another key signed, and who was expected", async () => {
    const stranger = privateKeyToAccount(generatePrivateKey());
    const found = await explain({ typedData: snapshot, signature: await sign(snapshot, stranger) });
    expect(found).to.include({ matches: false, signedInstead: null, recovered: stranger.address });
    expect(found.sentence).to.include(stranger.address).and.include(signer.address);
    const told = await explain({
      typedData: snapshot,
      signature: await sign(snapshot, stranger),
      expectedSigner: stranger.address,
    });
    expect(told.matches).to.equal(true);
  });

  it("expects the voter of a ballot", async () => {
    const voter = privateKeyToAccount(generatePrivateKey());
    const ballot = makeTypedData(
      "Vote",
      { chainId: 31337 },
      { walletAddress: voter.address, gameSlug: "demo-tidepool", voteSource: "human", nonce: "n", cycleId: "1" },
    );
    expect(await explain({ typedData: ballot, signature: await sign(ballot, voter) })).to.include({ matches: true });
    const other = message({ voteSource: "ai_agent" })(ballot);
    const found = await explain({ typedData: other, signature: await sign(ballot, voter) });
    expect(found.matches).to.equal(false);
    expect(found.expectedSigners).to.deep.equal([voter.address]);
  });

  it("reads signatures in unusual forms and says what is wrong with each", async () => {
    const signature = await sign(snapshot);
    const r = signature.slice(2, 66);
    const s = BigInt(`0x${signature.slice(66, 130)}`);
    const v = Number.parseInt(signature.slice(130), 16);
    const word = (value: bigint): string => value.toString(16).padStart(64, "0");
    const forms: readonly (readonly [string, RegExp])[] = [
      [`0x${r}${word(ORDER - s)}${(v === 27 ? 28 : 27).toString(16)}`, /upper half/],
      [`0x${r}${word(s)}0${v - 27}`, /expected 27 or 28/],
      [`0x${r}${word(s | (BigInt(v - 27) << 255n))}`, /EIP-2098/],
    ];
    for (const [form, fault] of forms) {
      const found = await explain({ typedData: snapshot, signature: form });
      expect(found, form).to.include({ matches: false, recovered: signer.address });
      expect(found.signatureFault).to.match(fault);
    }
    for (const form of ["0x", `${signature}00`, `0x${r}${word(s)}63`]) {
      const found = await explain({ typedData: snapshot, signature: form });
      expect(found).to.include({ matches: false, recovered: null });
      expect(found.signatureFault).to.be.a("string");
    }
  });

  it("refuses what it cannot hash, and bodies without one payload and a signature", async () => {
    const signature = await sign(snapshot);
    const refused = [
      { signature },
      { typedData: snapshot },
      { typedData: snapshot, response: { typedData: snapshot, signature }, signature },
      { typedData: { ...snapshot, primaryType: "Nothing" }, signature },
      { typedData: message({ score: "many" })(snapshot), signature },
      { typedData: message({ wallet: "0x12" })(snapshot), signature },
      { typedData: { ...snapshot, types: { Snapshot: [{ name: "x", type: "Snapshot" }] } }, signature },
    ];
    for (const body of refused) expectProblem(await suite.request("POST", PATH, { body }), "VALIDATION_FAILED");
    expectProblem(
      await suite.request("POST", PATH, { body: { typedData: snapshot, signature, other: 1 } }),
      "UNKNOWN_FIELD",
    );
  });
});
