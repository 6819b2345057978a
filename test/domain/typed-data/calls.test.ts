import { readFileSync } from "node:fs";
import { expect } from "chai";
import { type Abi, type AbiFunction, decodeFunctionData, toFunctionSignature } from "viem";
import { getCompiledPath } from "../../../deploy/artifacts.ts";
import { CALLS, createCall } from "../../../domain/typed-data/calls.ts";

const artifact = (name: string): { abi: Abi } => JSON.parse(readFileSync(getCompiledPath(name), "utf8"));

const WALLET = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const HASH = `0x${"ab".repeat(32)}` as const;

describe("a prepared call", () => {
  it("has the signature of the compiled contracts for every function", () => {
    const compiled = ["AgentIdentity", "GameNFT", "RewardsV2"]
      .flatMap((name) => artifact(name).abi)
      .filter((item): item is AbiFunction => item.type === "function")
      .map(toFunctionSignature);
    for (const item of CALLS) {
      if (item.type === "function") expect(compiled).to.include(toFunctionSignature(item));
    }
  });

  it("encodes decimal strings as numbers and returns them unchanged", () => {
    const args = [WALLET, HASH, "123", HASH, "456", "0x1234"];
    const call = createCall(31337, WALLET, "snapshotScoreSigned", args);
    expect(call).to.include({ chainId: 31337, to: WALLET, value: "0" });
    expect(call.args).to.equal(args);
    expect(decodeFunctionData({ abi: CALLS, data: call.data }).args).to.deep.equal([
      WALLET,
      HASH,
      123n,
      HASH,
      456n,
      "0x1234",
    ]);
  });

  it("encodes lists of tuples", () => {
    const call = createCall(1, WALLET, "snapshotScoresSigned", [
      WALLET,
      [{ gameSessionHash: HASH, gameId: HASH, score: "7" }],
      "9",
      "0x",
    ]);
    const { args } = decodeFunctionData({ abi: CALLS, data: call.data });
    expect(args?.[1]).to.deep.equal([{ gameSessionHash: HASH, gameId: HASH, score: 7n }]);
  });
});
