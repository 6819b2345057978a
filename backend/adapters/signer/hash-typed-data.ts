/** Digests of our own signed messages, compiled from the table of typed data. */
import { ArcadeError } from "../../../domain/errors.ts";
import {
  getDomainFields,
  type PrimaryType,
  TYPED_MESSAGES,
  type TypedData,
  type TypedDataDomain,
  type TypedField,
} from "../../../domain/typed-data/messages.ts";
import { createFieldError, FieldError } from "./abi-encoders.ts";
import { compileStruct, type HashStruct } from "./hash-struct.ts";
import { keccak256 } from "./keccak.ts";

const STRUCT_HASHERS = Object.fromEntries(
  Object.entries(TYPED_MESSAGES).map(([name, { types }]) => [name, compileStruct(types, name)]),
) as { readonly [type in PrimaryType]: HashStruct };

/** A deployment has few domains; the maximum bounds the list for callers with many. */
const SEPARATORS_MAX = 32;
const cachedSeparators: { readonly domain: TypedDataDomain; readonly separator: Uint8Array }[] = [];

function getDomainSeparator(domain: TypedDataDomain): Uint8Array {
  const { name, version, chainId, verifyingContract } = domain;
  for (const { domain: known, separator } of cachedSeparators)
    if (
      known.verifyingContract === verifyingContract &&
      known.name === name &&
      known.version === version &&
      known.chainId === chainId
    )
      return separator;
  const separator = compileStruct({ EIP712Domain: getDomainFields(domain) }, "EIP712Domain")(domain);
  if (cachedSeparators.length >= SEPARATORS_MAX) cachedSeparators.shift();
  cachedSeparators.push({ domain: { ...domain }, separator });
  return separator;
}

const hasSameFields = (ours: readonly TypedField[], theirs: readonly TypedField[] | undefined): boolean =>
  ours === theirs || JSON.stringify(ours) === JSON.stringify(theirs);

/** Wallets hash by the types of the payload, so these must match the table. */
function assertKnownTypes({ primaryType, types, domain }: TypedData): void {
  if (!Object.hasOwn(TYPED_MESSAGES, primaryType))
    throw createFieldError("a message of the table", primaryType).withParent("primaryType");
  const known: { readonly [name: string]: readonly TypedField[] } = TYPED_MESSAGES[primaryType].types;
  for (const name in known)
    if (!hasSameFields(known[name]!, types[name]))
      throw createFieldError("the fields of the table", types[name]).withParent(name).withParent("types");
  if (!hasSameFields(getDomainFields(domain), types.EIP712Domain ?? getDomainFields(domain)))
    throw createFieldError("the fields that the domain has", types.EIP712Domain)
      .withParent("EIP712Domain")
      .withParent("types");
}

const digestInput = Buffer.alloc(66);
digestInput.set([0x19, 0x01]);

/**
 * The 32-byte digest that is signed (EIP-712, "eth_signTypedData"). Throws `VALIDATION_FAILED`, whose `issues` list the
 * field.
 */
export function hashTypedData(typedData: TypedData): Uint8Array {
  let section: readonly string[] = [];
  try {
    assertKnownTypes(typedData);
    section = ["domain"];
    digestInput.set(getDomainSeparator(typedData.domain), 2);
    section = ["message"];
    digestInput.set(STRUCT_HASHERS[typedData.primaryType](typedData.message), 34);
    return keccak256(digestInput);
  } catch (error) {
    if (!(error instanceof FieldError)) throw error;
    const path = ["typedData", ...section, ...error.path].join(".");
    const message = `expected ${error.expected}, received ${error.received}`;
    throw new ArcadeError("VALIDATION_FAILED", `${path}: ${message}.`, { issues: [{ path, message }] });
  }
}
