import { expect } from "chai";
import type { Hex } from "viem";
import { hashTypedData } from "viem";
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";
import { developmentServiceAccount } from "../../backend/config/dev-keys.ts";
import { createTypedData, type TypedData } from "../../domain/typed-data/messages.ts";
import { expectProblem } from "../helpers/problem.ts";
import { useTestStack } from "../helpers/suite.ts";

const PATH = "/api/dev/typed-data/explain";
const WALLET = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

type Mutation = (data: TypedData) => TypedData;

describe("the explain tool", () => {
  let signer: PrivateKeyAccount;
  let snapshot: TypedData;
  const stack = useTestStack();
  before(async () => {
    signer = privateKeyToAccount(developmentServiceAccount(4).privateKey);
    snapshot = createTypedData(
      "Snapshot",
      { chainId: 31337, verifyingContract: stack.deployment.rewards },
      {
        wallet: WALLET,
        gameId: `0x${Buffer.from("shellrunners").toString("hex").padEnd(64, "0")}`,
        score: "420",
        gameSessionHash: `0x${"ab".repeat(32)}`,
        deadline: "1893456000",
      },
    );
  });

  const sign = (data: TypedData, by = signer): Promise<Hex> => by.signTypedData(data as never);
  const explain = async (body: object) => {
    const response = await stack.request("POST", PATH, { body });
    expect(response.status, JSON.stringify(response.body)).to.equal(200);
    return response.body;
  };
  const domain =
    (more: object): Mutation =>
    (data) => ({ ...data, domain: { ...data.domain, ...more } });
  const message =
    (more: object): Mutation =>
    (data) => ({ ...data, message: { ...data.message, ...more } });

  it("the explain tool finds no difference in a response signed by the service", async () => {
    const { body: response } = await stack.request("POST", "/api/identity/register", {
      body: { walletAddress: WALLET, agentName: "Pinch" },
    });
    const found = await explain({ response });
    expect(found).to.include({
      matches: true,
      primaryType: "MintIdentity",
      digest: response.digest,
      typeString: "MintIdentity(address to,bytes32 metadataDigest,uint256 nonce,uint256 deadline)",
      contract: stack.deployment.identity,
    });
    expect(found.expectedSigners).to.deep.equal([developmentServiceAccount(3).address]);
    expect(found.recovered).to.equal(developmentServiceAccount(3).address);
    expect(found.differences).to.deep.equal([]);
    expect(found.chainDomain).to.deep.equal(response.typedData.domain);
  });

  describe("the explain tool reports the signed difference", () => {
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

    it("a signature for another contract is explained", async () => {
      const { identity } = stack.deployment;
      const signature = await sign(domain({ verifyingContract: identity })(snapshot));
      const found = await explain({ typedData: snapshot, signature });
      expect(found.signedInstead).to.include({ field: "domain.verifyingContract", signed: identity });
    });

    it("a signature without a contract is explained", async () => {
      const { verifyingContract: _, ...rest } = snapshot.domain;
      const { EIP712Domain: __, ...types } = snapshot.types;
      const found = await explain({
        typedData: snapshot,
        signature: await sign({ ...snapshot, domain: rest, types } as TypedData),
      });
      expect(found.signedInstead).to.include({ field: "domain.verifyingContract", signed: "(absent)" });
    });

    it("a signature over two swapped fields is explained", async () => {
      const { gameId, gameSessionHash } = snapshot.message;
      const signature = await sign(message({ gameId: gameSessionHash, gameSessionHash: gameId })(snapshot));
      const found = await explain({ typedData: snapshot, signature });
      expect(found.signedInstead.field).to.equal("message.gameId");
      expect(found.signedInstead.signed).to.match(/gameSessionHash/);
    });

    it("a signature over fields of another order or type is explained", async () => {
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

    it("a signature of another primary type with the same fields is explained", async () => {
      const nft = createTypedData(
        "MintGameNft",
        { chainId: 31337, verifyingContract: stack.deployment.nft.flappybots!, slug: "flappybots" },
        { wallet: WALLET, agentId: "1", score: "420", deadline: "1893456000" },
      );
      const upgrade = { ...nft, primaryType: "UpgradeGameNft" as const };
      const types = { EIP712Domain: nft.types.EIP712Domain!, UpgradeGameNft: nft.types.MintGameNft! };
      const by = privateKeyToAccount(developmentServiceAccount(6).privateKey);
      const found = await explain({ typedData: nft, signature: await sign({ ...upgrade, types }, by) });
      expect(found.expectedSigners).to.deep.equal([by.address]);
      expect(found.signedInstead).to.include({ field: "primaryType", signed: "UpgradeGameNft" });
    });

    it("a personal_sign signature instead of typed data is explained", async () => {
      const digest = hashTypedData(snapshot as never);
      const signature = await signer.signMessage({ message: { raw: digest } });
      const found = await explain({ typedData: snapshot, signature });
      expect(found.signedInstead.field).to.equal("scheme");
      expect(found.signedInstead.signed).to.match(/personal_sign/);
    });
  });

  it("the explain tool reports a field that differs from the chain's domain if the signature matches", async () => {
    const foreign = domain({ chainId: 8453, version: "2" })(snapshot);
    const found = await explain({ typedData: foreign, signature: await sign(foreign) });
    expect(found.matches).to.equal(true);
    expect(found.differences).to.deep.equal([
      { field: "domain.version", expected: "1", received: "2" },
      { field: "domain.chainId", expected: "31337", received: "8453" },
    ]);
    expect(found.sentence).to.match(/not what the contract checks/);
  });

  it("the explain tool reports types that differ from the table's", async () => {
    const fields = snapshot.types.Snapshot!.map((field) =>
      field.name === "gameId" ? { ...field, type: "string" } : field,
    );
    const foreign = { ...snapshot, types: { ...snapshot.types, Snapshot: fields } };
    const found = await explain({ typedData: foreign, signature: await sign(foreign) });
    expect(found.differences.map(({ field }: { field: string }) => field)).to.deep.equal(["types"]);
  });

  it("the explain tool reports the signer and the expected signer", async () => {
    const otherAccount = privateKeyToAccount(generatePrivateKey());
    const found = await explain({ typedData: snapshot, signature: await sign(snapshot, otherAccount) });
    expect(found).to.include({ matches: false, signedInstead: null, recovered: otherAccount.address });
    expect(found.sentence).to.include(otherAccount.address).and.include(signer.address);
    const withExpectedSigner = await explain({
      typedData: snapshot,
      signature: await sign(snapshot, otherAccount),
      expectedSigner: otherAccount.address,
    });
    expect(withExpectedSigner.matches).to.equal(true);
  });

  it("the explain tool expects the voter as the signer of a ballot", async () => {
    const voter = privateKeyToAccount(generatePrivateKey());
    const ballot = createTypedData(
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

  it("the explain tool reports what is wrong with a signature of an unusual form", async () => {
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
    for (const [form, expectedMessage] of forms) {
      const found = await explain({ typedData: snapshot, signature: form });
      expect(found, form).to.include({ matches: false, recovered: signer.address });
      expect(found.signatureFault).to.match(expectedMessage);
    }
    for (const form of ["0x", `${signature}00`, `0x${r}${word(s)}63`]) {
      const found = await explain({ typedData: snapshot, signature: form });
      expect(found).to.include({ matches: false, recovered: null });
      expect(found.signatureFault).to.be.a("string");
    }
  });

  it("the explain tool reports the field that cannot be hashed, in the words of EIP-712", async () => {
    const signature = await sign(snapshot);
    const withType = (type: string): TypedData =>
      ({ ...snapshot, types: { Snapshot: [{ name: "x", type }] }, message: { x: [] } }) as never;
    for (const [typedData, path, expected] of [
      [withType("toString"), "types.Snapshot.x", "the type toString is not in types"],
      [withType("Missing[]"), "types.Snapshot.x", "the type Missing is not in types"],
      [withType("Snapshot"), "message.x", "expected the fields of Snapshot, received a list"],
      [withType("uint256"), "message.x", "expected uint256 as a decimal string, received a list"],
      [{ ...snapshot, primaryType: "constructor" }, "primaryType", "types lacks constructor, the primaryType"],
      [message({ score: "-1" })(snapshot), "message.score", "-1 does not fit uint256"],
      [message({ score: {} })(snapshot), "message.score", "expected uint256 as a decimal string, received an object"],
      [message({ gameId: "0x12" })(snapshot), "message.gameId", "expected 32 bytes, received 1"],
    ] as const) {
      const response = await stack.request("POST", PATH, { body: { typedData, signature } });
      expectProblem(response, "VALIDATION_FAILED");
      expect(response.body.issues).to.deep.equal([{ path: `body.typedData.${path}`, message: `${path}: ${expected}` }]);
      expect(response.body.error).to.equal(`The typed data cannot be hashed: ${path}: ${expected}.`);
    }
  });

  it("the explain tool rejects data that it cannot hash, and bodies without one payload and one signature", async () => {
    const signature = await sign(snapshot);
    const invalidBodies = [
      { signature },
      { typedData: snapshot },
      { typedData: snapshot, response: { typedData: snapshot, signature }, signature },
      { typedData: { ...snapshot, primaryType: "Nothing" }, signature },
      { typedData: message({ score: "many" })(snapshot), signature },
      { typedData: message({ wallet: "0x12" })(snapshot), signature },
      { typedData: { ...snapshot, types: { Snapshot: [{ name: "x", type: "Snapshot" }] } }, signature },
    ];
    for (const body of invalidBodies) expectProblem(await stack.request("POST", PATH, { body }), "VALIDATION_FAILED");
    expectProblem(
      await stack.request("POST", PATH, { body: { typedData: snapshot, signature, other: 1 } }),
      "UNKNOWN_FIELD",
    );
  });
});
