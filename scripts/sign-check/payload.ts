/** Reads the typed data of a file: the data itself, or a service response that contains it. */
import { readFile } from "node:fs/promises";
import { getAddress, isAddress } from "viem";
import type { ExplainRequest } from "../../backend/services/dev/explain.ts";
import type { renderCall } from "../../domain/typed-data/clear-signing/render.ts";
import type { AnyTypedData } from "../../domain/typed-data/explain.ts";
import { CommandError, UsageError } from "../cli/failures.ts";

type Json = { readonly [key: string]: unknown };

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isTypedData = (value: unknown): value is AnyTypedData & Json =>
  isObject(value) &&
  isObject(value.domain) &&
  isObject(value.types) &&
  isObject(value.message) &&
  typeof value.primaryType === "string";

interface SignedPayload {
  readonly request: ExplainRequest;
  /** The prepared transaction of a response; null without one. */
  readonly call: PreparedCall | null;
}

type PreparedCall = Parameters<typeof renderCall>[0];

const isCall = (value: unknown): value is PreparedCall & Json =>
  isObject(value) && typeof value.functionName === "string" && Array.isArray(value.args);

async function readJson(path: string): Promise<unknown> {
  const text = await readFile(path, "utf8").catch((cause: unknown) => {
    throw new CommandError(`${path} cannot be read.`, { cause, next: "check the path" });
  });
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw new CommandError(`${path} is not JSON.`, { cause, next: "save the response or the payload unchanged" });
  }
}

/** Reads the payload, its signature and its call. Throws `UsageError` or `CommandError` with what is missing. */
export async function readSignedPayload(path: string, signature?: string, expected?: string): Promise<SignedPayload> {
  const value = await readJson(path);
  const typedData = isTypedData(value) ? value : isObject(value) ? value.typedData : undefined;
  if (!isTypedData(typedData))
    throw new CommandError(`${path} has no typed data.`, {
      next: "expected {domain, types, primaryType, message}, or a response of the service with typedData",
    });
  const found = signature ?? (isObject(value) ? value.signature : undefined);
  if (typeof found !== "string" || !/^0x([0-9a-fA-F]{2})*$/.test(found))
    throw new UsageError("Expected a signature in hex, in the file as `signature` or with --signature");
  if (expected !== undefined && !isAddress(expected, { strict: false }))
    throw new UsageError(`--expected: expected an address, received "${expected}"`);
  const { domain, types, primaryType, message } = typedData;
  const request = {
    typedData: { domain, types, primaryType, message },
    signature: found as `0x${string}`,
    ...(expected === undefined ? {} : { expectedSigner: getAddress(expected) }),
  };
  return { request, call: isObject(value) && isCall(value.call) ? value.call : null };
}
