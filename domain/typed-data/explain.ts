/** Explains a typed-data payload hash by hash (EIP-712). Pure. */
import type { Hex } from "viem";
import { BaseError, hashDomain, hashStruct, hashTypedData } from "viem";
import { ArcadeError } from "../errors.ts";
import { findPayloadIssue } from "./check-payload.ts";
import { encodeType, TYPED_MESSAGES, type TypedField } from "./messages.ts";

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
export const getDomainType = (domain: AnyTypedData["domain"]): readonly TypedField[] =>
  Object.entries(DOMAIN_TYPES)
    .filter(([name]) => domain[name] !== undefined)
    .map(([name, type]) => ({ name, type }));

const createPayloadError = (message: string, path: string): ArcadeError =>
  new ArcadeError("VALIDATION_FAILED", `The typed data cannot be hashed: ${message.replace(/\.$/, "")}.`, {
    issues: [{ path, message }],
  });

/** Every hash up to the digest. Throws `VALIDATION_FAILED` with the cause if the payload cannot be hashed. */
export function computeHashes(data: AnyTypedData): Hashes {
  const types = { EIP712Domain: getDomainType(data.domain), ...data.types };
  const whole = { ...data, types } as never;
  const issue = findPayloadIssue(data);
  if (issue !== null) throw createPayloadError(`${issue.path}: ${issue.message}`, `body.typedData.${issue.path}`);
  try {
    return {
      typeString: encodeType(data.types, data.primaryType),
      domainSeparator: hashDomain({ domain: data.domain, types } as never),
      structHash: hashStruct({ data: data.message, primaryType: data.primaryType, types: data.types } as never),
      digest: hashTypedData(whole),
    };
  } catch (error) {
    if (!(error instanceof BaseError)) throw error;
    throw createPayloadError(error.shortMessage.split("\n")[0]!, "body.typedData");
  }
}

/** The types of the table for a message of ours; null for others. */
export function findOwnTypes(primaryType: string): AnyTypedData["types"] | null {
  return Object.hasOwn(TYPED_MESSAGES, primaryType)
    ? TYPED_MESSAGES[primaryType as keyof typeof TYPED_MESSAGES].types
    : null;
}
