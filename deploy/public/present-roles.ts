/** The roles that a new game gets: those that the contracts beside it have now. */
import { type Address, getAddress, type PublicClient, zeroAddress } from "viem";
import { isSameAddress } from "../../domain/addresses.ts";
import { ACCESS_CONTROL_ABI } from "../abi.ts";
import type { ArcadeParameters } from "../modules/parameters.ts";
import type { DeploymentRecord } from "../record.ts";

/** The chain has another admin or guardian than the file of roles. */
export class OtherRolesError extends Error {
  /** What the file has to say. */
  readonly path: "next.admin" | "next.guardian";

  constructor(path: OtherRolesError["path"], message: string) {
    super(message);
    this.name = "OtherRolesError";
    this.path = path;
  }
}

/** Admins of the contracts, and accounts to which the role is being handed on. */
async function listAdmins(client: PublicClient, addresses: readonly Address[]): Promise<readonly Address[]> {
  const found = await Promise.all(
    addresses.map(async (address) => {
      const contract = { address, abi: ACCESS_CONTROL_ABI } as const;
      const admin = await client.readContract({ ...contract, functionName: "defaultAdmin" });
      const [pending] = await client.readContract({ ...contract, functionName: "pendingDefaultAdmin" });
      return [admin, pending];
    }),
  );
  return [...new Set(found.flat())].filter((one) => one !== zeroAddress);
}

/** Which of the accounts is a guardian of every contract. */
async function findGuardian(client: PublicClient, addresses: readonly Address[], accounts: readonly Address[]) {
  for (const account of accounts) {
    const answers = await Promise.all(
      addresses.map(async (address) => {
        const contract = { address, abi: ACCESS_CONTROL_ABI } as const;
        const role = await client.readContract({ ...contract, functionName: "GUARDIAN_ROLE" });
        return client.readContract({ ...contract, functionName: "hasRole", args: [role, account] });
      }),
    );
    if (answers.every(Boolean)) return account;
  }
  return null;
}

/**
 * The parameters of the contracts of new games. The admin's role that is being handed on goes to its next holder at
 * once, so that the new contract needs no hand-over of its own. Throws `OtherRolesError` where the chain has roles that
 * the file does not name.
 */
export async function applyPresentRoles(
  client: PublicClient,
  parameters: ArcadeParameters,
  { rewards, identity, nft }: DeploymentRecord,
): Promise<ArcadeParameters> {
  const { admin, guardian, next = {} } = parameters;
  const contracts = [rewards, identity, ...Object.values(nft)];
  const admins = await listAdmins(client, contracts);
  const isNamed = (one: Address): boolean => [admin, next.admin].some((name) => name && isSameAddress(one, name));
  const unnamed = admins.find((one) => !isNamed(one));
  if (unnamed !== undefined)
    throw new OtherRolesError(
      "next.admin",
      `${unnamed} is the admin of a contract or about to be, and the file of --roles does not name it`,
    );
  const isHandedOn = next.admin !== undefined && admins.some((one) => isSameAddress(one, next.admin!));
  const candidates = [guardian, ...(next.guardian === undefined ? [] : [getAddress(next.guardian)])];
  const present = await findGuardian(client, contracts, candidates);
  if (present === null)
    throw new OtherRolesError("next.guardian", `${guardian} is not the guardian of every contract any more`);
  return { ...parameters, admin: isHandedOn ? getAddress(next.admin!) : admin, guardian: present };
}
