import { expect } from "chai";
import { type Address, type Hex, toFunctionSelector } from "viem";
import { checkOperatorCall, createOperatorPolicy, OperatorPolicyError } from "../../domain/operator-policy.ts";
import { CALLS } from "../../domain/typed-data/calls.ts";

const toAddress = (digit: number): Address => `0x${String(digit).repeat(40)}`;
const CONTRACTS = { identity: toAddress(1), rewards: toAddress(2), first: toAddress(3), second: toAddress(4) };
const { first, second, ...others } = CONTRACTS;
const createPolicy = () => createOperatorPolicy({ ...others, nft: { first, second } }, 10);

const isAllowed = (kind: string, to: Address, data: Hex, value?: bigint): boolean => {
  try {
    checkOperatorCall(createPolicy(), { kind, to, data, ...(value === undefined ? {} : { value }) });
    return true;
  } catch (error) {
    expect(error).to.be.instanceOf(OperatorPolicyError);
    return false;
  }
};

describe("the policy of the operator's key", () => {
  it("allows these calls of these contracts, and no other call of the service", () => {
    const functions = CALLS.flatMap((item) => (item.type === "function" ? [item] : []));
    const allowed = ["payout", "relay", "other"].flatMap((kind) =>
      Object.entries(CONTRACTS).flatMap(([contract, to]) =>
        functions
          .filter((item) => isAllowed(kind, to, toFunctionSelector(item)))
          .map(({ name }) => `${kind} ${contract} ${name}`),
      ),
    );
    expect(allowed).to.have.members([
      "payout rewards payout",
      "relay identity mintIdentityFor",
      "relay rewards snapshotScoreSigned",
      "relay rewards snapshotScoresSigned",
      "relay first mintSigned",
      "relay first upgradeSigned",
      "relay second mintSigned",
      "relay second upgradeSigned",
    ]);
  });

  it("allows no ether, no other contract and no data that is shorter than a selector", () => {
    const payout = toFunctionSelector(
      CALLS.find((item) => item.type === "function" && item.name === "payout") as never,
    );
    expect(isAllowed("payout", CONTRACTS.rewards, payout, 0n)).to.equal(true);
    expect(isAllowed("payout", CONTRACTS.rewards, `${payout}00`)).to.equal(true);
    expect(isAllowed("payout", CONTRACTS.rewards, payout, 1n)).to.equal(false);
    expect(isAllowed("payout", toAddress(5), payout)).to.equal(false);
    expect(isAllowed("payout", CONTRACTS.rewards, payout.slice(0, 8) as Hex)).to.equal(false);
    expect(isAllowed("payout", CONTRACTS.rewards, "0x")).to.equal(false);
  });
});
