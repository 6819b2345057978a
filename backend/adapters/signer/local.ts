import { hashTypedData, type TypedDataDefinition } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import type { TypedData } from "../../domain/typed-data.ts";
import type { Signer } from "../../ports.ts";

type Hex = `0x${string}`;

/**
 * Signs with a key in this process: deterministic (RFC 6979) and low-s (EIP-2), so that the same message always has
 * the same signature.
 */
export function createLocalSigner(privateKey: Hex): Signer {
  const account = privateKeyToAccount(privateKey);
  return {
    address: account.address,
    sign: async (typedData: TypedData) => {
      // Numbers are decimal strings here and bigints in viem's types; its encoder takes both.
      const definition = typedData as unknown as TypedDataDefinition;
      const digest = hashTypedData(definition);
      return { signature: await account.sign({ hash: digest }), digest };
    },
  };
}
