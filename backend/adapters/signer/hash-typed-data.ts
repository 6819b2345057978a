/** Digests of our own signed messages, compiled from the table of typed data. */
import { ArcadeError } from "../../domain/errors.ts";
import {
  domainFields,
  type PrimaryType,
  TYPED_MESSAGES,
  type TypedData,
  type TypedDataDomain,
  type TypedField,
} from "../../domain/typed-data.ts";
import { compileStruct, type HashStruct } from "./hash-struct.ts";
import { keccak256 } from "./keccak.ts";
import { FieldFault, faultOf } from "./words.ts";

const MESSAGES = Object.fromEntries(
  Object.entries(TYPED_MESSAGES).map(([name, { types }]) => [name, compileStruct(types, name)]),
) as { readonly [type in PrimaryType]: HashStruct };

/** A deployment has a handful of domains; the bound keeps a caller with many from growing the list. */
const SEPARATORS_MAX = 32;
const separators: { readonly domain: TypedDataDomain; readonly separator: Uint8Array }[] = [];

function separatorOf(domain: TypedDataDomain): Uint8Array {
  const { name, version, chainId, verifyingContract } = domain;
  for (const { domain: known, separator } of separators)
    if (
      known.verifyingContract === verifyingContract &&
      known.name === name &&
      known.version === version &&
      known.chainId === chainId
    )
      return separator;
  const separator = compileStruct({ EIP712Domain: domainFields(domain) }, "EIP712Domain")(domain);
  if (separators.length >= SEPARATORS_MAX) separators.shift();
  separators.push({ domain: { ...domain }, separator });
  return separator;
}

const isSame = (ours: readonly TypedField[], theirs: readonly TypedField[] | undefined): boolean =>
  ours === theirs || JSON.stringify(ours) === JSON.stringify(theirs);

/** A wallet would hash by the payload's own types, so they must be those of the table. */
function checkTypes({ primaryType, types, domain }: TypedData): void {
  if (!Object.hasOwn(TYPED_MESSAGES, primaryType))
    throw faultOf("a message of the table", primaryType).within("primaryType");
  const known: { readonly [name: string]: readonly TypedField[] } = TYPED_MESSAGES[primaryType].types;
  for (const name in known)
    if (!isSame(known[name]!, types[name]))
      throw faultOf("the fields of the table", types[name]).within(name).within("types");
  if (!isSame(domainFields(domain), types.EIP712Domain ?? domainFields(domain)))
    throw faultOf("the fields that the domain has", types.EIP712Domain).within("EIP712Domain").within("types");
}

const final = Buffer.alloc(66);
final.set([0x19, 0x01]);

/**
 * The 32-byte digest that is signed (EIP-712, "eth_signTypedData"): that of any other implementation for the same
 * payload. Throws `VALIDATION_FAILED`, whose `issues` name the field.
 */
export function hashTypedData(typedData: TypedData): Uint8Array {
  let part: readonly string[] = [];
  try {
    checkTypes(typedData);
    part = ["domain"];
    final.set(separatorOf(typedData.domain), 2);
    part = ["message"];
    final.set(MESSAGES[typedData.primaryType](typedData.message), 34);
    return keccak256(final);
  } catch (fault) {
    if (!(fault instanceof FieldFault)) throw fault;
    const path = ["typedData", ...part, ...fault.path].join(".");
    const message = `expected ${fault.expected}, received ${fault.received}`;
    throw new ArcadeError("VALIDATION_FAILED", `${path}: ${message}.`, { issues: [{ path, message }] });
  }
}
