/** What a typed-data payload says, hash by hash (EIP-712), for the tool that explains signatures. Pure. */
import { hashDomain, hashStruct, hashTypedData } from "viem";
import { ArcadeError } from "./errors.ts";
import { TYPED_MESSAGES, type TypedField } from "./typed-data.ts";

type Hex = `0x${string}`;

/** Any payload of `eth_signTypedData_v4`, ours or not. */
export interface AnyTypedData {
  readonly domain: { readonly [field: string]: unknown };
  readonly types: { readonly [name: string]: readonly TypedField[] };
  readonly primaryType: string;
  readonly message: { readonly [field: string]: unknown };
}

export interface Hashes {
  readonly typeString: string;
  readonly domainSeparator: Hex;
  readonly structHash: Hex;
  readonly digest: Hex;
}

const DOMAIN_TYPES: { readonly [field: string]: string } = {
  name: "string",
  version: "string",
  chainId: "uint256",
  verifyingContract: "address",
  salt: "bytes32",
};

/** The domain's type with exactly the fields that are present. */
export const domainTypeOf = (domain: AnyTypedData["domain"]): readonly TypedField[] =>
  Object.entries(DOMAIN_TYPES)
    .filter(([name]) => domain[name] !== undefined)
    .map(([name, type]) => ({ name, type }));

/** The canonical type string: the primary type, then what it refers to, sorted ("encodeType" of EIP-712). */
export function typeStringOf(types: AnyTypedData["types"], primaryType: string): string {
  const found = new Set<string>();
  const visit = (name: string): void => {
    if (found.has(name) || types[name] === undefined) return;
    found.add(name);
    for (const { type } of types[name]) visit(type.replace(/(\[\d*\])+$/, ""));
  };
  visit(primaryType);
  const rest = [...found].filter((name) => name !== primaryType).sort();
  return [primaryType, ...rest]
    .map((name) => `${name}(${(types[name] ?? []).map(({ type, name: field }) => `${type} ${field}`).join(",")})`)
    .join("");
}

/** Every hash on the way to the digest. Throws `VALIDATION_FAILED` with the fault where the payload cannot be hashed. */
export function hashesOf(data: AnyTypedData): Hashes {
  const types = { EIP712Domain: domainTypeOf(data.domain), ...data.types };
  const whole = { ...data, types } as never;
  try {
    if (data.types[data.primaryType] === undefined) throw new Error(`types lacks ${data.primaryType}, the primaryType`);
    return {
      typeString: typeStringOf(data.types, data.primaryType),
      domainSeparator: hashDomain({ domain: data.domain, types } as never),
      structHash: hashStruct({ data: data.message, primaryType: data.primaryType, types: data.types } as never),
      digest: hashTypedData(whole),
    };
  } catch (fault) {
    const [sentence = "unknown fault"] = (fault as Error).message.split("\n");
    throw new ArcadeError("VALIDATION_FAILED", `The typed data cannot be hashed: ${sentence.replace(/\.$/, "")}.`, {
      issues: [{ path: "body.typedData", message: sentence }],
    });
  }
}

/** The types of the table for a message of ours; null for others. */
export function ownTypesOf(primaryType: string): AnyTypedData["types"] | null {
  return Object.hasOwn(TYPED_MESSAGES, primaryType)
    ? TYPED_MESSAGES[primaryType as keyof typeof TYPED_MESSAGES].types
    : null;
}
