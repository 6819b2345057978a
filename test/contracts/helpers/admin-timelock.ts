import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { ZeroAddress, ZeroHash } from "ethers";
import { type Arcade, as, DAY_SECONDS } from "./arcade.ts";
import type { AnyContract } from "./contract.ts";

/** A contract that holds the admin's role, moved as its owners move it. */
export interface AdminContract {
  readonly address: string;
  /** Lets it call a contract, through whatever it asks for. */
  readonly act: (to: AnyContract, functionName: string, args?: readonly unknown[]) => Promise<void>;
  /** Checks that no caller can leave out what it asks for. */
  readonly expectNoShortcut: (to: AnyContract, functionName: string, args?: readonly unknown[]) => Promise<void>;
}

const TIMELOCK_SECONDS = 2n * DAY_SECONDS;

const artifact = fileURLToPath(import.meta.resolve("@openzeppelin/contracts/build/contracts/TimelockController.json"));

/** OpenZeppelin's timelock as its package ships it compiled: `other` proposes, anybody executes after two days. */
export async function deployTimelock({ connection, time, other, thirdParty }: Arcade): Promise<AdminContract> {
  const { abi, bytecode } = JSON.parse(readFileSync(artifact, "utf8"));
  const factory = await connection.ethers.getContractFactory(abi, bytecode, thirdParty);
  const args = [TIMELOCK_SECONDS, [other.address], [ZeroAddress], ZeroAddress] as const;
  const timelock = (await factory.deploy(...args)) as unknown as AnyContract;

  const callOf = async (to: AnyContract, functionName: string, args: readonly unknown[]) =>
    [await to.getAddress(), 0n, to.interface.encodeFunctionData(functionName, args), ZeroHash] as const;
  const schedule = async (call: Awaited<ReturnType<typeof callOf>>, salt: string) =>
    as(timelock, other).schedule(...call, salt, TIMELOCK_SECONDS);
  let count = 0;
  const nextSalt = (): string => `0x${(++count).toString(16).padStart(64, "0")}`;

  return {
    address: await timelock.getAddress(),
    act: async (to, functionName, args = []) => {
      const [call, salt] = [await callOf(to, functionName, args), nextSalt()];
      await schedule(call, salt);
      await time.increase(TIMELOCK_SECONDS);
      await as(timelock, thirdParty).execute(...call, salt);
    },
    expectNoShortcut: async (to, functionName, args = []) => {
      const [call, salt] = [await callOf(to, functionName, args), nextSalt()];
      await expect(as(timelock, thirdParty).schedule(...call, salt, TIMELOCK_SECONDS)).to.be.revertedWithCustomError(
        timelock,
        "AccessControlUnauthorizedAccount",
      );
      await expect(as(timelock, other).schedule(...call, salt, TIMELOCK_SECONDS - 1n))
        .to.be.revertedWithCustomError(timelock, "TimelockInsufficientDelay")
        .withArgs(TIMELOCK_SECONDS - 1n, TIMELOCK_SECONDS);
      await schedule(call, salt);
      await time.increase(TIMELOCK_SECONDS - 10n);
      await expect(as(timelock, other).execute(...call, salt)).to.be.revertedWithCustomError(
        timelock,
        "TimelockUnexpectedOperationState",
      );
      await expect(as(to, other)[functionName](...args)).to.be.revert(connection.ethers);
    },
  };
}
