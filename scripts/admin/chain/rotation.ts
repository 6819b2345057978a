/** The next step of a signer's rotation, from the chain's state. */
import { type Address, zeroAddress } from "viem";
import { type AdminChange, createCall, type NamedContract } from "../../../deploy/admin/calls.ts";
import { isSameAddress } from "../../../domain/addresses.ts";
import { CommandError } from "../../cli/failures.ts";
import { readView, toIso } from "./read.ts";
import type { ChainTarget } from "./target.ts";

const POWERS = ["admin"] as const;

interface RotationState {
  readonly first: Address;
  readonly isFirstContract: boolean;
  readonly alternate: Address;
  readonly isAlternateContract: boolean;
  readonly validFrom: bigint;
  readonly isRevoked: boolean;
  readonly delay: bigint;
  /** Time of the last block. */
  readonly now: bigint;
}

async function readState(target: ChainTarget, contract: NamedContract, account: Address): Promise<RotationState> {
  const [[first, isFirstContract], [alternate, isAlternateContract, validFrom], isRevoked, delay, { timestamp }] =
    await Promise.all([
      readView<readonly [Address, boolean]>(target, contract, "signer"),
      readView<readonly [Address, boolean, bigint]>(target, contract, "alternateSigner"),
      readView<boolean>(target, contract, "isRevokedSigner", [account]),
      readView<bigint>(target, contract, "signerDelay"),
      target.client.getBlock(),
    ]);
  return { first, isFirstContract, alternate, isAlternateContract, validFrom, isRevoked, delay, now: timestamp };
}

const formatSigner = (account: Address): string => (account === zeroAddress ? "none" : account);

/** What to do after a promotion, if the former signer is still active. */
const toRevokeNote = (contract: NamedContract, former: Address): string =>
  former === zeroAddress
    ? "The rotation is complete; write the new address into the file of --roles."
    : `${former} is still active: once the backend signs with the new key, npm run admin -- chain revoke ${former} --contract ${contract.name}`;

/** Promotes the alternate signer. Throws if it is too early. */
function describePromotion(contract: NamedContract, account: Address, state: RotationState): AdminChange {
  const { first, validFrom, now } = state;
  if (now < validFrom) {
    throw new CommandError(`${account} is scheduled for ${contract.name} and active from ${toIso(validFrom)} on.`, {
      next: "put the new key into the backend by then, and run the same command again after that time",
    });
  }
  const change = { what: `${contract.name}: first signer`, from: formatSigner(first), to: account };
  return {
    calls: [createCall(contract, "promoteSigner", [], { powers: POWERS, change })],
    notes: [toRevokeNote(contract, first)],
  };
}

/**
 * Schedules a new signer, promotes a scheduled one, or reports that it is already the first. Throws if neither is
 * possible.
 */
export async function describeRotation(
  target: ChainTarget,
  contract: NamedContract,
  account: Address,
  isContract: boolean,
): Promise<AdminChange> {
  const state = await readState(target, contract, account);
  const { first, alternate, delay, now } = state;
  if (state.isRevoked) {
    throw new CommandError(`${account} was revoked on ${contract.name}.`, {
      next: `use a new key; if this one was not leaked: npm run admin -- chain clear-ban ${account} --contract ${contract.name}`,
    });
  }
  if (isSameAddress(first, account) && state.isFirstContract === isContract) {
    return { calls: [], notes: [`${account} is already the first signer. ${toRevokeNote(contract, alternate)}`] };
  }
  if (isSameAddress(alternate, account) && state.isAlternateContract === isContract) {
    return describePromotion(contract, account, state);
  }
  if (alternate !== zeroAddress && !isSameAddress(alternate, account)) {
    throw new CommandError(`${alternate} is the second signer of ${contract.name}, and there can be only two.`, {
      next: `revoke it (npm run admin -- chain revoke ${alternate} --contract ${contract.name}), or promote it: chain rotate ${alternate}`,
    });
  }
  const kind = isContract ? " (a contract)" : "";
  const validText = delay === 0n ? "at once" : `about ${toIso(now + delay)}`;
  const change = {
    what: `${contract.name}: second signer`,
    from: "none",
    to: `${account}${kind}, counts ${validText}`,
  };
  return {
    calls: [createCall(contract, "scheduleSigner", [account, isContract], { powers: POWERS, change })],
    notes: [
      `Next: when it is active (${validText}), put its key into the backend and run the same command again to promote it.`,
    ],
  };
}
