import { bytesToHex } from "viem";
import { mnemonicToAccount } from "viem/accounts";

/** The mnemonic every Ethereum development tool knows. Its keys are refused on any chain but 31337. */
export const DEVELOPMENT_MNEMONIC = "test test test test test test test test test test test junk";
export const LOCAL_CHAIN_ID = 31337;

/** The first ones are players; the service's own keys lie apart, so that no printed key can sign for it. */
const FIRST_SERVICE_INDEX = 100;
const WELL_KNOWN_COUNT = 200;

export interface DevelopmentAccount {
  readonly address: `0x${string}`;
  readonly privateKey: `0x${string}`;
}

export function developmentAccount(index: number): DevelopmentAccount {
  const account = mnemonicToAccount(DEVELOPMENT_MNEMONIC, { addressIndex: index });
  const key = account.getHdKey().privateKey;
  if (!key) throw new Error("the development mnemonic gave no key");
  return { address: account.address, privateKey: bytesToHex(key) };
}

/** The key of one duty on the local chain: 0 admin, 1 guardian, 2 operator, 3 identity, 4 score, 5… one per game. */
export const developmentServiceAccount = (offset: number): DevelopmentAccount =>
  developmentAccount(FIRST_SERVICE_INDEX + offset);

let wellKnown: ReadonlySet<string> | undefined;

/** True for a key that anybody can derive from the development mnemonic. */
export function isWellKnownKey(privateKey: string): boolean {
  wellKnown ??= new Set(Array.from({ length: WELL_KNOWN_COUNT }, (_, index) => developmentAccount(index).privateKey));
  return wellKnown.has(privateKey.toLowerCase());
}
