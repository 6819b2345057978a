import { expect } from "chai";
import { Interface } from "ethers";
import { artifacts } from "hardhat";
import type { AnyContract } from "./contract.ts";

const CONTRACTS = ["AgentIdentity", "GameNFT", "RewardsV2", "RewardToken"];
const abis = await Promise.all(CONTRACTS.map(async (name) => (await artifacts.readArtifact(name)).abi));
/** Every error of the contracts; those of one name are the same in each. */
const ERRORS = { interface: new Interface(abis.flat().filter(({ type }) => type === "error")) } as AnyContract;

/** Expects the call to revert with this error, and with these arguments if any are given. */
export async function expectRevert(call: unknown, error: string, ...args: readonly unknown[]): Promise<void> {
  const reverted = expect(call).to.be.revertedWithCustomError(ERRORS, error);
  await (args.length === 0 ? reverted : reverted.withArgs(...args));
}

/** Expects the transaction to emit this event of the contract, and with these arguments if any are given. */
export async function expectEvent(sent: unknown, contract: AnyContract, event: string, ...args: readonly unknown[]) {
  const emitted = expect(sent).to.emit(contract, event);
  await (args.length === 0 ? emitted : emitted.withArgs(...args));
}
