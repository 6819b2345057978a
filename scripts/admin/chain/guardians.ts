/** The guardians of a contract. */
import { type Address, type Hex, keccak256, parseAbi, stringToHex } from "viem";
import type { NamedContract } from "../../../deploy/admin/calls.ts";
import { readEvents } from "../../doctor/events.ts";
import type { ChainTarget } from "./target.ts";

const ROLE_EVENTS = parseAbi([
  "event RoleGranted(bytes32 indexed role, address indexed account, address indexed sender)",
  "event RoleRevoked(bytes32 indexed role, address indexed account, address indexed sender)",
]);
export const ROLES: { readonly guardian: Hex; readonly operator: Hex } = {
  guardian: keccak256(stringToHex("GUARDIAN_ROLE")),
  operator: keccak256(stringToHex("OPERATOR_ROLE")),
};

/** The guardians, from the role's events; null if the node does not return the events. */
export async function findGuardians(
  target: ChainTarget,
  { address }: NamedContract,
): Promise<readonly Address[] | null> {
  const logs = await readEvents(target, [address], ROLE_EVENTS).catch(() => null);
  if (logs === null) return null;
  const guardians = new Set<Address>();
  for (const { eventName, args } of logs) {
    if (args.role !== ROLES.guardian) continue;
    if (eventName === "RoleGranted") guardians.add(args.account);
    else guardians.delete(args.account);
  }
  return [...guardians];
}
