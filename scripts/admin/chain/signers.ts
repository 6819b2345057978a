/** Signers: revoke, ban, lift a ban, rotate. */
import { type Address, zeroAddress } from "viem";
import { type AdminCall, createCall, type NamedContract } from "../../../deploy/admin/calls.ts";
import { isSameAddress } from "../../../domain/addresses.ts";
import { defineCommand } from "../../cli/command.ts";
import { UsageError } from "../../cli/failures.ts";
import { readView } from "./read.ts";
import { describeRotation } from "./rotation.ts";
import { runChainCommand } from "./run.ts";
import {
  CHAIN_FLAGS,
  type ChainTarget,
  CONTRACT_FLAG,
  parseAddress,
  selectContract,
  selectContracts,
} from "./target.ts";

const SIGNER_ARGUMENT = { signer: { help: "the signer's address" } } as const;

/** The role of an address in a contract's signed calls. */
async function readSigner(target: ChainTarget, contract: NamedContract, account: Address) {
  const [[first], [alternate], isRevoked] = await Promise.all([
    readView<readonly [Address, boolean]>(target, contract, "signer"),
    readView<readonly [Address, boolean, bigint]>(target, contract, "alternateSigner"),
    readView<boolean>(target, contract, "isRevokedSigner", [account]),
  ]);
  const state = isSameAddress(first, account) ? "first" : isSameAddress(alternate, account) ? "alternate" : "none";
  const others = [first, alternate].filter((one) => one !== zeroAddress && !isSameAddress(one, account));
  return { contract, state, isRevoked, others } as const;
}

const createRevocation = (contract: NamedContract, account: Address, from: string): AdminCall =>
  createCall(contract, "revokeSigner", [account], {
    powers: ["guardian", "admin"],
    change: { what: `${contract.name}: ${account}`, from, to: "revoked" },
  });

const revoke = defineCommand({
  name: "chain revoke",
  args: SIGNER_ARGUMENT,
  summary: "revokes a signer and all of its signatures at once; guardian or admin",
  flags: { ...CONTRACT_FLAG, ...CHAIN_FLAGS },
  examples: ["npm run admin -- chain revoke 0x… --network baseSepolia"],
  notes: ["Without --contract: every contract that accepts this signer."],
  async run({ flags, args }, terminal) {
    const account = parseAddress("SIGNER", args.signer);
    return runChainCommand("Revoke a signer", flags, terminal, async (target) => {
      const contracts = selectContracts(target, flags.contract);
      const states = await Promise.all(contracts.map((contract) => readSigner(target, contract, account)));
      const signing = states.filter(({ state }) => state !== "none");
      if (signing.length === 0) {
        if (states.some(({ isRevoked }) => isRevoked)) return { calls: [], notes: ["Nothing to do: already revoked."] };
        throw new UsageError(`SIGNER: ${account} signs for no contract; chain ban bans a key that was never scheduled`);
      }
      return {
        calls: signing.map(({ contract, state }) => createRevocation(contract, account, `${state} signer`)),
        notes: signing
          .filter(({ others }) => others.length === 0)
          .map(
            ({ contract }) =>
              `${contract.name} has no signer afterwards: npm run admin -- chain rotate NEW --contract ${contract.name}`,
          ),
      };
    });
  },
});

const ban = defineCommand({
  name: "chain ban",
  args: SIGNER_ARGUMENT,
  summary: "bans a leaked key as a signer before it is ever scheduled; guardian or admin",
  flags: { ...CONTRACT_FLAG, ...CHAIN_FLAGS },
  examples: ["npm run admin -- chain ban 0x… --network baseSepolia"],
  async run({ flags, args }, terminal) {
    const account = parseAddress("SIGNER", args.signer);
    return runChainCommand("Ban a key", flags, terminal, async (target) => {
      const contracts = selectContracts(target, flags.contract);
      const states = await Promise.all(contracts.map((contract) => readSigner(target, contract, account)));
      const open = states.filter(({ isRevoked }) => !isRevoked);
      const calls = open.map(({ contract, state }) =>
        createRevocation(contract, account, state === "none" ? "not banned" : `${state} signer`),
      );
      return { calls, notes: calls.length === 0 ? ["Nothing to do: already banned."] : [] };
    });
  },
});

const clearBan = defineCommand({
  name: "chain clear-ban",
  args: SIGNER_ARGUMENT,
  summary: "lifts a signer's ban, so that it can be scheduled again; admin only",
  flags: { ...CONTRACT_FLAG, ...CHAIN_FLAGS },
  examples: ["npm run admin -- chain clear-ban 0x… --network baseSepolia"],
  async run({ flags, args }, terminal) {
    const account = parseAddress("SIGNER", args.signer);
    return runChainCommand("Lift a ban", flags, terminal, async (target) => {
      const contracts = selectContracts(target, flags.contract);
      const states = await Promise.all(contracts.map((contract) => readSigner(target, contract, account)));
      const banned = states.filter(({ isRevoked }) => isRevoked);
      const calls = banned.map(({ contract }) =>
        createCall(contract, "clearSignerBan", [account], {
          powers: ["admin"],
          change: { what: `${contract.name}: ${account}`, from: "revoked", to: "may be scheduled" },
        }),
      );
      return { calls, notes: calls.length === 0 ? ["Nothing to do: no contract bans this address."] : [] };
    });
  },
});

const rotate = defineCommand({
  name: "chain rotate",
  args: { signer: { help: "the new signer's address" } },
  summary: "schedules a new signer; run it again after the delay to promote the signer; admin only",
  flags: {
    ...CONTRACT_FLAG,
    "is-contract": { type: "boolean", help: "the signer is a contract that answers ERC-1271" },
    ...CHAIN_FLAGS,
  },
  examples: ["npm run admin -- chain rotate 0x… --contract rewards --network baseSepolia"],
  async run({ flags, args }, terminal) {
    const account = parseAddress("SIGNER", args.signer);
    const name = flags.contract;
    if (name === undefined) throw new UsageError("--contract: expected the contract that the key signs for");
    return runChainCommand("Rotate a signer", flags, terminal, async (target) =>
      describeRotation(target, selectContract(target, name), account, flags["is-contract"] === true),
    );
  },
});

export const SIGNER_COMMANDS = [revoke, ban, clearBan, rotate];
