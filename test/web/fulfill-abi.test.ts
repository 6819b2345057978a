import { SeaportABI } from "@opensea/seaport-js/lib/abi/Seaport.js";
import { expect } from "chai";
import { type Abi, type AbiFunction, toFunctionSignature } from "viem";
import { FULFILL_ABI } from "../../domain/seaport.ts";

const findFunction = (abi: Abi): AbiFunction =>
  abi.find((entry): entry is AbiFunction => entry.type === "function" && entry.name === "fulfillOrder")!;

describe("the call of the market's page", () => {
  it("is Seaport's fulfillOrder", () => {
    const own = findFunction(FULFILL_ABI);
    const official = findFunction(SeaportABI as unknown as Abi);
    expect(toFunctionSignature(own)).to.equal(toFunctionSignature(official));
    expect(own.stateMutability).to.equal(official.stateMutability);
  });
});
