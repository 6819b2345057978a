/** Guardian and operator: grant and remove. */
import type { Address } from "viem";
import { type AdminCall, createCall, type NamedContract } from "../../../deploy/admin/calls.ts";
import { defineCommand } from "../../cli/command.ts";
import { UsageError } from "../../cli/failures.ts";
import { ROLES } from "./guardians.ts";
import { readView } from "./read.ts";
import { runChainCommand } from "./run.ts";
import { CHAIN_FLAGS, type ChainTarget, CONTRACT_FLAG, parseAddress, selectContracts } from "./target.ts";

type RoleName = keyof typeof ROLES;

const ARGUMENTS = {
  role: { help: "guardian or operator" },
  account: { help: "the account that gets or loses the role" },
} as const;

function parseRole(text: string): RoleName {
  if (text === "guardian" || text === "operator") return text;
  throw new UsageError(`ROLE: expected guardian or operator, received "${text}"`);
}

/** Only `rewards` has the operator role. */
const selectRoleContracts = (target: ChainTarget, role: RoleName, names: string | undefined) =>
  selectContracts(target, role === "operator" ? "rewards" : names);

/** Calls that grant or revoke a role, unless `account` already has it or lacks it. */
async function describeRole(
  target: ChainTarget,
  contracts: readonly NamedContract[],
  role: RoleName,
  account: Address,
  isGrant: boolean,
): Promise<readonly AdminCall[]> {
  const args = [ROLES[role], account] as const;
  const holds = await Promise.all(contracts.map((contract) => readView<boolean>(target, contract, "hasRole", args)));
  const changed = contracts.filter((_, index) => holds[index] !== isGrant);
  const [from, to] = isGrant ? ["no role", role] : [role, "no role"];
  return changed.map((contract) =>
    createCall(contract, isGrant ? "grantRole" : "revokeRole", args, {
      powers: ["admin"],
      change: { what: `${contract.name}: ${account}`, from, to },
    }),
  );
}

const defineRoleCommand = (verb: "grant" | "remove", summary: string, example: string) =>
  defineCommand({
    name: `chain ${verb}`,
    args: ARGUMENTS,
    summary,
    flags: { ...CONTRACT_FLAG, ...CHAIN_FLAGS },
    examples: [`npm run admin -- chain ${verb} ${example} 0x… --network baseSepolia`],
    async run({ flags, args }, terminal) {
      const role = parseRole(args.role);
      const account = parseAddress("ACCOUNT", args.account);
      const isGrant = verb === "grant";
      return runChainCommand(`${isGrant ? "Grant" : "Remove"} the role ${role}`, flags, terminal, async (target) => {
        const contracts = selectRoleContracts(target, role, flags.contract);
        const calls = await describeRole(target, contracts, role, account, isGrant);
        const nothing = `Nothing to do: ${account} is ${isGrant ? `${role} already` : `not ${role}`}.`;
        return { calls, notes: calls.length === 0 ? [nothing] : [] };
      });
    },
  });

export const ROLE_COMMANDS = [
  defineRoleCommand("grant", "makes an account guardian or operator; admin only", "operator"),
  defineRoleCommand("remove", "revokes an account's role as guardian or operator; admin only", "guardian"),
];
