/** The admin role: transfer it, accept it, cancel the transfer. */
import { type Address, zeroAddress } from "viem";
import { getAccountKind } from "../../../deploy/admin/account-kind.ts";
import { type AdminCall, createCall, type NamedContract } from "../../../deploy/admin/calls.ts";
import { isSameAddress } from "../../../domain/addresses.ts";
import { defineCommand } from "../../cli/command.ts";
import { CommandError, UsageError } from "../../cli/failures.ts";
import { readView, toIso } from "./read.ts";
import { runChainCommand } from "./run.ts";
import { CHAIN_FLAGS, type ChainTarget, CONTRACT_FLAG, parseAddress, selectContracts } from "./target.ts";

interface AdminState {
  readonly contract: NamedContract;
  readonly admin: Address;
  readonly pending: Address;
  /** Unix seconds from which the pending admin can accept. */
  readonly acceptFrom: number;
  readonly delaySeconds: number;
}

async function readAdmin(target: ChainTarget, contract: NamedContract): Promise<AdminState> {
  const [admin, [pending, acceptFrom], delaySeconds] = await Promise.all([
    readView<Address>(target, contract, "defaultAdmin"),
    readView<readonly [Address, number]>(target, contract, "pendingDefaultAdmin"),
    readView<number>(target, contract, "defaultAdminDelay"),
  ]);
  return { contract, admin, pending, acceptFrom: Number(acceptFrom), delaySeconds: Number(delaySeconds) };
}

const readAdmins = async (target: ChainTarget, names: string | undefined): Promise<readonly AdminState[]> =>
  Promise.all(selectContracts(target, names).map((contract) => readAdmin(target, contract)));

/** Throws for a new admin that could not act, or for a plain key on a mainnet. */
async function checkNewAdmin({ client, context }: ChainTarget, account: Address): Promise<void> {
  const kind = await getAccountKind(client, account);
  if (kind === "contract")
    throw new UsageError(`ADMIN: the contract ${account} is neither a Safe nor a timelock, so it could never act`);
  if (kind === "key" && context.network.stage === "mainnet")
    throw new UsageError(
      `ADMIN: ${account} is a plain key; on ${context.network.title} the admin is a Safe or a timelock`,
    );
}

const begin = defineCommand({
  name: "chain transfer-admin",
  args: { admin: { help: "the new admin: a Safe or a timelock" } },
  summary: "starts a transfer of the admin role; the new admin accepts it after the delay; admin only",
  flags: { ...CONTRACT_FLAG, ...CHAIN_FLAGS },
  examples: ["npm run admin -- chain transfer-admin 0x… --network baseSepolia"],
  async run({ flags, args }, terminal) {
    const account = parseAddress("ADMIN", args.admin);
    return runChainCommand("Transfer the admin role", flags, terminal, async (target) => {
      await checkNewAdmin(target, account);
      const states = await readAdmins(target, flags.contract);
      const open = states.filter(
        ({ admin, pending }) => !isSameAddress(admin, account) && !isSameAddress(pending, account),
      );
      const calls = open.map(({ contract, admin, delaySeconds }) =>
        createCall(contract, "beginDefaultAdminTransfer", [account], {
          powers: ["admin"],
          change: { what: `${contract.name}: admin`, from: admin, to: `${account} after ${delaySeconds} s` },
        }),
      );
      const isComplete = states.every(({ admin }) => isSameAddress(admin, account));
      const next = "Next: npm run admin -- chain accept-admin shows or sends the new admin's call.";
      return { calls, notes: [isComplete ? `Nothing to do: ${account} is the admin.` : next] };
    });
  },
});

const accept = defineCommand({
  name: "chain accept-admin",
  summary: "accepts the admin role as the new admin; if that is a contract, prints the exact calls",
  flags: { ...CONTRACT_FLAG, ...CHAIN_FLAGS },
  examples: ["npm run admin -- chain accept-admin --network baseSepolia"],
  async run({ flags }, terminal) {
    return runChainCommand("Accept the admin's role", flags, terminal, async (target) => {
      const states = (await readAdmins(target, flags.contract)).filter(({ pending }) => pending !== zeroAddress);
      const { timestamp } = await target.client.getBlock();
      const early = states.filter(({ acceptFrom }) => acceptFrom >= Number(timestamp));
      const last = Math.max(0, ...states.map(({ acceptFrom }) => acceptFrom));
      for (const { contract, pending } of early) {
        if ((await getAccountKind(target.client, pending)) !== "key") continue;
        throw new CommandError(`${contract.name}: ${pending} can accept the admin's role after ${toIso(last)}.`, {
          next: "run the same command after that time",
        });
      }
      const calls = states.map(({ contract, admin, pending }) =>
        createCall(contract, "acceptDefaultAdminTransfer", [], {
          powers: ["pendingAdmin"],
          change: { what: `${contract.name}: admin`, from: admin, to: pending },
        }),
      );
      if (calls.length === 0) return { calls, notes: ["Nothing to do: no contract has a pending admin."] };
      return { calls, notes: early.length === 0 ? [] : [`The contracts accept it only after ${toIso(last)}.`] };
    });
  },
});

const cancel = defineCommand({
  name: "chain cancel-transfer",
  summary: "cancels a pending transfer of the admin role; admin only",
  flags: { ...CONTRACT_FLAG, ...CHAIN_FLAGS },
  examples: ["npm run admin -- chain cancel-transfer --network baseSepolia"],
  async run({ flags }, terminal) {
    return runChainCommand("Cancel a hand-over", flags, terminal, async (target) => {
      const states = (await readAdmins(target, flags.contract)).filter(({ pending }) => pending !== zeroAddress);
      const calls: readonly AdminCall[] = states.map(({ contract, pending }) =>
        createCall(contract, "cancelDefaultAdminTransfer", [], {
          powers: ["admin"],
          change: { what: `${contract.name}: pending admin`, from: pending, to: "none" },
        }),
      );
      return { calls, notes: calls.length === 0 ? ["Nothing to do: no contract has a pending admin."] : [] };
    });
  },
});

export const ADMIN_TRANSFER_COMMANDS = [begin, accept, cancel];
