import { expect } from "chai";
import fc from "fast-check";
import { hashStruct, toHex, hashTypedData as viemHash } from "viem";
import { compileStruct } from "../../../backend/adapters/signer/hash-struct.ts";
import { hashTypedData } from "../../../backend/adapters/signer/hash-typed-data.ts";
import { ArcadeError } from "../../../domain/errors.ts";
import {
  createTypedData,
  type PrimaryType,
  TYPED_MESSAGES,
  type TypedData,
} from "../../../domain/typed-data/messages.ts";
import { createPayloadArbitrary } from "./typed-data-arbitrary.ts";

const context = { chainId: 31337, verifyingContract: `0x${"aa".repeat(20)}` } as const;
const item = { gameSessionHash: `0x${"11".repeat(32)}`, gameId: `0x${"22".repeat(32)}`, score: "7" };
const batch = { wallet: `0x${"bb".repeat(20)}`, items: [item, item], deadline: "99" };
const hashWithBackend = (payload: TypedData): string => toHex(hashTypedData(payload));
const hashWithViem = (payload: TypedData): string => viemHash(payload as never);

describe("the digest of typed data", () => {
  for (const primaryType of Object.keys(TYPED_MESSAGES) as PrimaryType[]) {
    it(`is viem's for every ${primaryType}`, () => {
      fc.assert(
        fc.property(createPayloadArbitrary(primaryType), (payload) => {
          expect(hashWithBackend(payload)).to.equal(hashWithViem(payload));
        }),
      );
    });
  }

  it("follows the domain of each payload, in any order of payloads", () => {
    for (let round = 0; round < 2; round++) {
      for (let chainId = 1; chainId <= 100; chainId++) {
        const payload = createTypedData("SnapshotBatch", { ...context, chainId }, batch);
        expect(hashWithBackend(payload)).to.equal(hashWithViem(payload));
      }
    }
  });

  it("is that of a payload that came as JSON", () => {
    const payload = JSON.parse(JSON.stringify(createTypedData("SnapshotBatch", context, batch)));
    expect(hashWithBackend(payload)).to.equal(hashWithViem(payload));
  });

  it("is viem's for lists of every length", () => {
    const types = {
      Crew: [
        { name: "wallets", type: "address[]" },
        { name: "names", type: "string[]" },
      ],
    };
    const hash = compileStruct(types, "Crew");
    for (let size = 0; size < 300; size++) {
      const data = { wallets: Array(size).fill(batch.wallet), names: Array(size).fill(`Ada ${size}`) };
      expect(toHex(hash(data))).to.equal(hashStruct({ data, types, primaryType: "Crew" }));
    }
    expect(() => compileStruct({ Odd: [{ name: "flag", type: "int7" }] }, "Odd")).to.throw("int7");
  });

  it("contains nothing of the previous message", () => {
    const big = createTypedData("Snapshot", context, {
      ...item,
      wallet: batch.wallet,
      score: String(2n ** 255n),
      deadline: "1",
    });
    const small = createTypedData("Snapshot", context, { ...item, wallet: batch.wallet, deadline: "1" });
    hashWithBackend(big);
    expect(hashWithBackend(small)).to.equal(hashWithViem(small));
  });

  const payload = createTypedData("SnapshotBatch", context, batch);
  const withMessage = (change: object): unknown => ({ ...payload, message: { ...batch, ...change } });
  const withItem = (change: object): unknown => withMessage({ items: [item, { ...item, ...change }] });
  const withDomain = (change: object): unknown => ({ ...payload, domain: { ...payload.domain, ...change } });
  const invalidPayloads: readonly (readonly [name: string, path: string, payload: unknown])[] = [
    ["a field that is missing", "message.deadline", withMessage({ deadline: undefined })],
    ["a number above 2^256 - 1", "message.deadline", withMessage({ deadline: String(2n ** 256n) })],
    ["a negative number", "message.deadline", withMessage({ deadline: "-1" })],
    ["a negative bigint", "message.deadline", withMessage({ deadline: -1n })],
    ["a number in hex", "message.deadline", withMessage({ deadline: "0x10" })],
    ["an empty number", "message.deadline", withMessage({ deadline: "" })],
    ["a number with a fraction", "message.deadline", withMessage({ deadline: 1.5 })],
    ["a number that is not exact", "message.deadline", withMessage({ deadline: 2 ** 53 })],
    ["an address that is too short", "message.wallet", withMessage({ wallet: `0x${"b".repeat(39)}` })],
    ["an address with another character", "message.wallet", withMessage({ wallet: `0x${"b".repeat(39)}g` })],
    ["digits of another script", "message.wallet", withMessage({ wallet: `0x${"b".repeat(39)}\u0131` })],
    ["an address without 0x", "message.wallet", withMessage({ wallet: "b".repeat(42) })],
    ["bytes that are too long", "message.items.1.gameId", withItem({ gameId: `0x${"2".repeat(66)}` })],
    ["a wrong number within a list", "message.items.1.score", withItem({ score: "seven" })],
    ["a list that is none", "message.items", withMessage({ items: { 0: item } })],
    ["an item that is none", "message.items.0", withMessage({ items: [null] })],
    ["no message", "message", { ...payload, message: undefined }],
    ["a chain id that is none", "domain.chainId", withDomain({ chainId: "one" })],
    ["a contract that is none", "domain.verifyingContract", withDomain({ verifyingContract: "0x12" })],
    ["a message that the table lacks", "primaryType", { ...payload, primaryType: "Permit" }],
    ["a name of every object", "primaryType", { ...payload, primaryType: "toString" }],
    [
      "a type other than the table's",
      "types.Item",
      { ...payload, types: { ...payload.types, Item: [{ name: "score", type: "uint256" }] } },
    ],
    [
      "a domain type that leaves the contract out",
      "types.EIP712Domain",
      { ...payload, types: { ...payload.types, EIP712Domain: payload.types.EIP712Domain!.slice(0, 3) } },
    ],
  ];
  for (const [name, path, invalidPayload] of invalidPayloads) {
    it(`is rejected for ${name}, with the path ${path}`, () => {
      let thrown: unknown;
      try {
        hashTypedData(invalidPayload as TypedData);
      } catch (error) {
        thrown = error;
      }
      expect(thrown).to.be.instanceOf(ArcadeError);
      const { code, fields, message } = thrown as ArcadeError;
      expect(code).to.equal("VALIDATION_FAILED");
      expect((fields as { issues: { path: string }[] }).issues[0]!.path).to.equal(`typedData.${path}`);
      expect(message).to.match(/: expected .+, received .+\.$/);
    });
  }

  it("is correct after a rejected payload", () => {
    expect(() => hashTypedData(withItem({ score: "seven" }) as TypedData)).to.throw(ArcadeError);
    expect(hashWithBackend(payload)).to.equal(hashWithViem(payload));
  });
});
