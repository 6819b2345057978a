import fc from "fast-check";
import { getAddress, toHex } from "viem";
import {
  createTypedData,
  type PrimaryType,
  TYPED_MESSAGES,
  type TypedData,
} from "../../../domain/typed-data/messages.ts";

type Types = { readonly [name: string]: readonly { readonly name: string; readonly type: string }[] };

const createHexArbitrary = (bytes: number): fc.Arbitrary<`0x${string}`> =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((array) => toHex(array));

export const bytes32 = createHexArbitrary(32);
/** In checksum form (EIP-55), and in others. */
const address = fc
  .tuple(createHexArbitrary(20), fc.boolean())
  .map(([plain, checksum]) => (checksum ? getAddress(plain) : plain));

const edges = [0n, 1n, 2n ** 32n, 2n ** 53n - 1n, 2n ** 53n, 2n ** 64n - 1n, 2n ** 64n, 2n ** 128n, 2n ** 256n - 1n];
const uint256 = fc
  .oneof(fc.constantFrom(...edges), fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), fc.bigInt({ min: 0n, max: 10_000n }))
  .map(String);

const ATOMIC_ARBITRARIES: { readonly [type: string]: fc.Arbitrary<unknown> } = {
  address,
  bytes32,
  uint256,
  // Any UTF-16, including lone surrogates.
  string: fc.oneof(
    fc.string({ unit: "binary", maxLength: 300 }),
    fc.string({ unit: "grapheme" }),
    fc.constant("\ud800"),
  ),
};

function createValueArbitrary(types: Types, type: string): fc.Arbitrary<unknown> {
  if (type.endsWith("[]")) return fc.array(createValueArbitrary(types, type.slice(0, -2)), { maxLength: 20 });
  const fields = types[type];
  if (fields === undefined) return ATOMIC_ARBITRARIES[type]!;
  return fc.record(Object.fromEntries(fields.map((field) => [field.name, createValueArbitrary(types, field.type)])));
}

/** Payloads of one message of the table, with and without a verifying contract. */
export const createPayloadArbitrary = (primaryType: PrimaryType): fc.Arbitrary<TypedData> =>
  fc
    .record({
      place: fc.record(
        {
          chainId: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
          verifyingContract: address,
          slug: fc.string(),
        },
        { requiredKeys: ["chainId"] },
      ),
      message: createValueArbitrary(TYPED_MESSAGES[primaryType].types, primaryType),
    })
    .map(({ place, message }) => createTypedData(primaryType, place as never, message as never));
