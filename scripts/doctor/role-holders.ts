/** The holders of a role, from the events that granted and revoked it. */
import { getAddress, type Hex, keccak256, parseAbi, stringToHex, zeroHash } from "viem";
import type { ArcadeParameters } from "../../deploy/modules/parameters.ts";
import { isSameAddress } from "../../domain/addresses.ts";
import { readEvents } from "./events.ts";
import { type CheckResult, type DoctorTarget, difference, listSignedContracts, ok, type RolesEntry } from "./target.ts";

const ROLE_EVENTS = parseAbi([
  "event RoleGranted(bytes32 indexed role, address indexed account, address indexed sender)",
  "event RoleRevoked(bytes32 indexed role, address indexed account, address indexed sender)",
]);
const ROLES: { readonly [role: Hex]: "admin" | "guardian" | "operator" } = {
  [zeroHash]: "admin",
  [keccak256(stringToHex("GUARDIAN_ROLE"))]: "guardian",
  [keccak256(stringToHex("OPERATOR_ROLE"))]: "operator",
};
const DECIDED_ROLES = { admin: true, guardian: true, operator: true } as const;

/** A single holder may be the roles file's; one in addition to the decided holder may be the planned one. */
function toRolesEntry(role: string, holders: readonly string[], expected: string): RolesEntry | null {
  const [added, ...others] = holders.length > 1 ? holders.filter((holder) => holder !== expected) : holders;
  if (!(role in DECIDED_ROLES) || added === undefined || others.length > 0) return null;
  return { path: holders.length > 1 ? `next.${role}` : role, value: getAddress(added) };
}

/** One result per role and contract: an extra holder and a missing one are both faults. */
export async function checkRoleHolders(
  target: DoctorTarget,
  { admin, guardian, operator, next = {} }: ArcadeParameters,
): Promise<readonly CheckResult[]> {
  const contracts = listSignedContracts(target);
  const addresses = contracts.map(({ address }) => address);
  const logs = await readEvents(target, addresses, ROLE_EVENTS);
  const decided = { admin, guardian, operator };
  return contracts.flatMap(({ name, kind, address }) => {
    const holders = new Map<string, Set<string>>();
    for (const { eventName, args, address: at } of logs) {
      if (!isSameAddress(at, address)) continue;
      const role = ROLES[args.role] ?? args.role;
      const accounts = holders.get(role) ?? new Set();
      holders.set(role, accounts);
      if (eventName === "RoleGranted") accounts.add(args.account.toLowerCase());
      else accounts.delete(args.account.toLowerCase());
    }
    const roles = new Set(["admin", "guardian", ...(kind === "rewards" ? ["operator"] : []), ...holders.keys()]);
    return [...roles].map((role) => {
      const accounts = [...(holders.get(role) ?? [])].sort();
      const found = accounts.join(", ") || "no account";
      const expected = (decided[role as keyof typeof decided] ?? "no account").toLowerCase();
      const planned = role in DECIDED_ROLES ? next[role] : undefined;
      const id = `decided.role.${role}.${name}`;
      if (found === expected) return { ...ok(id, `${name}: ${role} is ${found} only, as decided`), decidedPath: role };
      const isPlanned = accounts.every((account) => account === expected || account === planned?.toLowerCase());
      if (planned === undefined || !isPlanned || accounts.length === 0)
        return difference(
          id,
          `${name}: ${role} is ${found}, but ${expected} was decided`,
          toRolesEntry(role, accounts, expected),
        );
      const rolesEntry = accounts.length === 1 ? { rolesEntry: { path: role, value: planned } } : {};
      return { ...ok(id, `${name}: ${role} is ${found}, as planned`), ...rolesEntry };
    });
  });
}
