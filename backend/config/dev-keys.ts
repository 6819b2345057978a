import { bytesToHex } from "viem";
import { type HDKey, mnemonicToAccount, privateKeyToAddress } from "viem/accounts";

/** The mnemonic every Ethereum development tool knows. Its keys are refused on any chain but 31337. */
export const DEVELOPMENT_MNEMONIC = "test test test test test test test test test test test junk";
export const LOCAL_CHAIN_ID = 31337;

/** The first ones are players; the service's own keys lie apart, so that no printed key can sign for it. */
const FIRST_SERVICE_INDEX = 100;
/** So many from either start count as well known. */
const WELL_KNOWN_COUNT = 32;

export interface DevelopmentAccount {
  readonly address: `0x${string}`;
  readonly privateKey: `0x${string}`;
}

/** BIP-44 parent of the accounts; stretching the mnemonic is slow, so it is done once. */
let parent: HDKey | undefined;

export function developmentAccount(index: number): DevelopmentAccount {
  parent ??= mnemonicToAccount(DEVELOPMENT_MNEMONIC, { path: "m/44'/60'/0'/0" }).getHdKey();
  const key = parent.deriveChild(index).privateKey;
  if (!key) throw new Error("the development mnemonic gave no key");
  const privateKey = bytesToHex(key);
  return { address: privateKeyToAddress(privateKey), privateKey };
}

/** The key of one duty on the local chain: 0 admin, 1 guardian, 2 operator, 3 identity, 4 score, 5… one per game. */
export const developmentServiceAccount = (offset: number): DevelopmentAccount =>
  developmentAccount(FIRST_SERVICE_INDEX + offset);

let wellKnown: ReadonlySet<string> | undefined;

/** True for a key that anybody can derive from the development mnemonic. */
export function isWellKnownKey(privateKey: string): boolean {
  wellKnown ??= new Set(
    [0, FIRST_SERVICE_INDEX].flatMap((first) =>
      Array.from({ length: WELL_KNOWN_COUNT }, (_, index) => developmentAccount(first + index).privateKey),
    ),
  );
  return wellKnown.has(privateKey.toLowerCase());
}
