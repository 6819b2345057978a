import { expect } from "chai";
import { findPayloadIssue } from "../../../domain/typed-data/check-payload.ts";

const types = {
  Mail: [
    { name: "from", type: "Person" },
    { name: "tags", type: "uint8[2]" },
  ],
  Person: [{ name: "wallet", type: "address" }],
};
const wallet = `0x${"11".repeat(20)}`;
const message = { from: { wallet }, tags: [1, 2] };

describe("the first reason why a payload cannot be hashed", () => {
  for (const [name, change, path] of [
    ["none", {}, null],
    ["a primary type that is missing", { primaryType: "Letter" }, "primaryType"],
    ["a type that is missing", { types: { Mail: types.Mail } }, "types.Mail.from"],
    ["a field that is missing", { message: { tags: [1, 2] } }, "message.from"],
    ["a field of another field", { message: { ...message, from: { wallet: "0x11" } } }, "message.from.wallet"],
    ["an item of a list", { message: { ...message, tags: [1, 256] } }, "message.tags[1]"],
    ["a list that is too short", { message: { ...message, tags: [1] } }, "message.tags"],
    ["a list that is too long", { message: { ...message, tags: [1, 2, 3] } }, "message.tags"],
    ["a text in place of a list", { message: { ...message, tags: "1,2" } }, "message.tags"],
    ["a type before a value", { types: { Mail: types.Mail }, message: {} }, "types.Mail.from"],
  ] as const)
    it(`is found: ${name}`, () => {
      const issue = findPayloadIssue({ types, primaryType: "Mail", message, ...change } as never);
      expect(issue?.path ?? null).to.equal(path);
    });
});
