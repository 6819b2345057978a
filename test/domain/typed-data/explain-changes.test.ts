import { expect } from "chai";
import { type Hex, hashMessage, hashStruct, hashTypedData } from "viem";
import { generateChanges } from "../../../domain/typed-data/explain-changes.ts";

const data = {
  domain: { name: "Test", version: "1", chainId: 5, verifyingContract: `0x${"11".repeat(20)}` },
  types: { Mail: [{ name: "deadline", type: "uint256" }] },
  primaryType: "Mail",
  message: { deadline: "1700000000" },
} as const;
const list = () => [...generateChanges(data as never, { domains: [] })];
const find = (digest: Hex) => list().filter((change) => change.digest === digest);

describe("what may have been signed instead of a payload", () => {
  it("has each other way to sign", () => {
    const digest = hashTypedData(data as never);
    const struct = hashStruct({ data: data.message, types: data.types, primaryType: "Mail" } as never);
    for (const [signed, ofMistake] of [
      ["personal_sign (EIP-191) of the digest's 32 bytes", hashMessage({ raw: digest })],
      ["personal_sign (EIP-191) of the digest as text", hashMessage(digest)],
      ["personal_sign (EIP-191) of the payload's JSON", hashMessage(JSON.stringify(data))],
      ["personal_sign (EIP-191) of the message's JSON", hashMessage(JSON.stringify(data.message))],
      ["personal_sign (EIP-191) of the struct hash", hashMessage({ raw: struct })],
      ["the bare struct hash, without domain", struct],
    ] as const)
      expect(find(ofMistake), signed).to.deep.equal([
        { field: "scheme", given: "EIP-712 (eth_signTypedData_v4)", signed, digest: ofMistake },
      ]);
  });

  it("has other values of the domain, an absent one and other deadlines, each digest once", () => {
    const hash = (change: object) => hashTypedData({ ...data, ...change } as never);
    const { chainId, ...withoutChain } = data.domain;
    for (const [field, given, signed, ofMistake] of [
      ["domain.chainId", String(chainId), "137", hash({ domain: { ...data.domain, chainId: 137 } })],
      ["domain.chainId", String(chainId), "(absent)", hash({ domain: withoutChain })],
      ["domain.version", "1", "2", hash({ domain: { ...data.domain, version: "2" } })],
    ] as const)
      expect(find(ofMistake), `${field} ${signed}`).to.deep.equal([{ field, given, signed, digest: ofMistake }]);
    expect(find(hash({ message: { deadline: "1700000060" } })).map(({ field }) => field)).to.deep.equal([
      "message.deadline",
    ]);
    const changes = list();
    expect(new Set(changes.map(({ digest }) => digest)).size).to.equal(changes.length);
    expect(find(hash({})), "the payload itself").to.deep.equal([]);
  });
});
