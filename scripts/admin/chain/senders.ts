/** Who sends a call: the account whose key is set, or a contract. */
import type { Address } from "viem";
import { type AccountKind, getAccountKind } from "../../../deploy/admin/account-kind.ts";
import { type AdminCall, formatCall, mayCall, type Power, readHolder } from "../../../deploy/admin/calls.ts";
import type { SendingAccount } from "../../../deploy/public/transactions.ts";
import { CommandError, EXIT } from "../../cli/failures.ts";
import {
  describeKeySource,
  findGivenAccount,
  GUARDIAN,
  type KeySource,
  readKeystoreAccount,
} from "../../deploy/keys.ts";
import { findGuardians } from "./guardians.ts";
import type { ChainTarget } from "./target.ts";

const ADMIN_KEY: KeySource = { name: "ARCADE_ADMIN_KEY", holder: "the admin", localOffset: 0 };

const PROPOSER_KEY: KeySource = { name: "ARCADE_PROPOSER_KEY", holder: "the proposer", localOffset: 0 };

/** The key of each power. The treasury of the local chain is the admin. */
const KEYS: { readonly [power in Power]: KeySource } = {
  admin: ADMIN_KEY,
  pendingAdmin: ADMIN_KEY,
  guardian: GUARDIAN,
  proposer: PROPOSER_KEY,
  executor: PROPOSER_KEY,
  token: { name: "ARCADE_TREASURY_KEY", holder: "the treasury", localOffset: 0 },
};

/** A contract that must make the calls itself. */
export interface ContractHolder {
  readonly address: Address;
  readonly kind: Exclude<AccountKind, "key">;
}

/** The given key lacks the role; `message` has the address that holds it. */
export class MissingRoleError extends CommandError {
  readonly code = "MISSING_ROLE";
}

/** No key was given for a call that only a key can send. */
class MissingKeyError extends CommandError {
  readonly code = "MISSING_KEY";
}

/** The addresses that may make a call, as text. */
export async function describeHolders(target: ChainTarget, call: AdminCall): Promise<string> {
  const parts = await Promise.all(
    call.powers.map(async (power) => {
      if (power === "token") return "an account with the tokens";
      if (power === "proposer" || power === "executor")
        return `${power === "proposer" ? "a proposer" : "an executor"} of the timelock ${call.contract.address}`;
      const holder = await readHolder(target.client, call, power);
      if (holder !== null) return `${power === "admin" ? "the admin" : "the pending admin"} ${holder}`;
      const guardians = await findGuardians(target, call.contract);
      return guardians === null ? "a guardian" : `the guardian ${guardians.join(" and ") || "(there is none)"}`;
    }),
  );
  return parts.join(" or ");
}

/** The contract that holds a power of the call, a guardian first; null if keys hold them. */
export async function findContractHolder(target: ChainTarget, call: AdminCall): Promise<ContractHolder | null> {
  const { client } = target;
  for (const power of call.powers) {
    const guardians = power === "guardian" ? await findGuardians(target, call.contract) : null;
    const holder = await readHolder(client, call, power);
    for (const address of guardians ?? (holder === null ? [] : [holder])) {
      const kind = await getAccountKind(client, address);
      if (kind !== "key") return { address, kind };
    }
  }
  return null;
}

const listKeyNames = ({ powers }: AdminCall): string =>
  [...new Set(powers.map((power) => KEYS[power].name))].join(" or ");

/** Finds who sends a call, and reads each key from the keystore only once. */
export class SenderFinder {
  readonly #target: ChainTarget;
  readonly #keystoreAccounts = new Map<string, Promise<SendingAccount | CommandError>>();

  constructor(target: ChainTarget) {
    this.#target = target;
  }

  /** A key's account, or the contract that must call. Throws `MissingRoleError`, `MissingKeyError`. */
  async find(call: AdminCall): Promise<SendingAccount | ContractHolder> {
    const { client, context } = this.#target;
    const given = call.powers.flatMap((power) => findGivenAccount(context, KEYS[power]) ?? []);
    for (const account of given) if (await mayCall(client, call, account.address)) return account;
    const holder = await findContractHolder(this.#target, call);
    const canGuardian = call.powers.includes("guardian");
    if (holder !== null && !canGuardian) return holder;
    if (given.length > 0) throw await this.#createMissingRoleError(call, given);
    return this.#findInKeystore(call, holder);
  }

  async #findInKeystore(call: AdminCall, holder: ContractHolder | null): Promise<SendingAccount | ContractHolder> {
    const source = KEYS[call.powers[0]!];
    const account = await this.#readKeystore(source);
    if (account instanceof CommandError) {
      if (holder !== null) return holder;
      const next = `${describeKeySource(source)}; --plan shows the exact call for a hardware wallet, --safe FILE writes it for a Safe`;
      throw new MissingKeyError(account.message, { exitCode: EXIT.auth, next, cause: account });
    }
    if (await mayCall(this.#target.client, call, account.address)) return account;
    throw await this.#createMissingRoleError(call, [account]);
  }

  async #readKeystore(source: KeySource): Promise<SendingAccount | CommandError> {
    const reading =
      this.#keystoreAccounts.get(source.name) ??
      readKeystoreAccount(this.#target.context, source).catch((error: unknown) => {
        if (error instanceof CommandError) return error;
        throw error;
      });
    this.#keystoreAccounts.set(source.name, reading);
    return reading;
  }

  async #createMissingRoleError(call: AdminCall, given: readonly SendingAccount[]): Promise<MissingRoleError> {
    const keys = given.map(({ address }) => address).join(" and ");
    const holders = await describeHolders(this.#target, call);
    return new MissingRoleError(
      `${formatCall(call)} may be sent by ${holders}, not by ${keys} (${listKeyNames(call)})`,
      { exitCode: EXIT.auth, next: "use the key of that address; --plan shows the exact call without a key" },
    );
  }
}
