/** What may have been signed instead: every common mistake of people and libraries. Pure. */
import type { Hex } from "viem";
import { hashMessage, hexToBigInt, size, slice } from "viem";
import { CURVE_ORDER } from "../keys.ts";
import { type AnyTypedData, computeHashes, findOwnTypes, getDomainType } from "./explain.ts";
import { TYPED_MESSAGES, type TypedField } from "./messages.ts";

export interface Change {
  /** Path of what differs, such as `domain.chainId`. */
  readonly field: string;
  /** The payload's value. */
  readonly given: string;
  /** What the digest was made with. */
  readonly signed: string;
  readonly digest: Hex;
}

export interface ChangeFacts {
  /** Domains of this deployment's contracts, and their addresses. */
  readonly domains: readonly { readonly [field: string]: unknown }[];
}

const CHAIN_IDS = [1, 10, 137, 8453, 42161, 84532, 31337, 1337, 11155111];
const VERSIONS = ["1", "2", "1.0", "1.0.0", "0", "v1", ""];
/** Lifetimes that signers commonly give a deadline. */
const DEADLINE_SHIFTS_SECONDS = [1, 30, 60, 120, 300, 600, 900, 1800, 3600, 86_400];

function formatValue(value: unknown): string {
  if (value === undefined) return "(absent)";
  return typeof value === "string" ? value : JSON.stringify(value);
}

function computeDigest(data: AnyTypedData): Hex | null {
  try {
    return computeHashes({ ...data, types: { ...data.types, EIP712Domain: getDomainType(data.domain) } }).digest;
  } catch {
    return null;
  }
}

/** Another value of one domain field; undefined leaves the field out. */
function* domainChanges(data: AnyTypedData, { domains }: ChangeFacts): Generator<[string, unknown, AnyTypedData]> {
  const fields: readonly (readonly [string, readonly unknown[]])[] = [
    ["chainId", [...domains.map(({ chainId }) => chainId), ...CHAIN_IDS, undefined]],
    [
      "verifyingContract",
      [...domains.map(({ verifyingContract }) => verifyingContract), `0x${"00".repeat(20)}`, undefined],
    ],
    ["name", [...domains.map(({ name }) => name), undefined]],
    ["version", [...VERSIONS, undefined]],
  ];
  for (const [field, values] of fields) {
    for (const value of values) {
      const { [field]: _, ...rest } = data.domain;
      yield [`domain.${field}`, value, { ...data, domain: value === undefined ? rest : { ...rest, [field]: value } }];
    }
  }
  for (const domain of domains) yield ["domain", domain, { ...data, domain }];
  for (const chainId of [...domains.map((domain) => domain.chainId), ...CHAIN_IDS])
    for (const { name, verifyingContract } of domains) {
      const domain = { ...data.domain, name, chainId, verifyingContract };
      yield ["domain", domain, { ...data, domain }];
    }
}

const isIntegerType = (type: string): boolean => /^u?int\d*$/.test(type);

/** Other values of one message field: a number plus and minus one, other units, and zero. */
function listNearbyNumbers(name: string, value: bigint): bigint[] {
  const near = [1n, 2n, 3n].flatMap((step) => [value + step, value - step]);
  const units = [value * 1000n, value / 1000n, value * 10n ** 18n, 0n];
  const shifts = /deadline|expir|time/i.test(name)
    ? DEADLINE_SHIFTS_SECONDS.flatMap((seconds) => [value + BigInt(seconds), value - BigInt(seconds)])
    : [];
  return [...near, ...shifts, ...units].filter((other) => other >= 0n && other !== value);
}

function* messageChanges(data: AnyTypedData): Generator<[string, unknown, AnyTypedData]> {
  const fields = data.types[data.primaryType] ?? [];
  const withField = (more: object): AnyTypedData => ({ ...data, message: { ...data.message, ...more } });
  for (const [index, { name, type }] of fields.entries()) {
    for (const other of fields.slice(index + 1)) {
      if (other.type !== type || data.message[name] === data.message[other.name]) continue;
      const swapped = { [name]: data.message[other.name], [other.name]: data.message[name] };
      yield [`message.${name}`, `the value of ${other.name}, and the other way round`, withField(swapped)];
    }
    if (!isIntegerType(type)) continue;
    for (const value of listNearbyNumbers(name, BigInt(data.message[name] as string)))
      yield [`message.${name}`, value.toString(), withField({ [name]: value.toString() })];
  }
}

function* typeChanges(data: AnyTypedData): Generator<[string, unknown, AnyTypedData]> {
  const { primaryType } = data;
  const fields = data.types[primaryType] ?? [];
  const withFields = (changed: readonly TypedField[]) => ({
    ...data,
    types: { ...data.types, [primaryType]: changed },
  });
  const own = findOwnTypes(primaryType);
  if (own !== null) yield ["types", "the table's own types", { ...data, types: own }];
  for (const other of Object.keys(TYPED_MESSAGES)) {
    if (other === primaryType) continue;
    yield ["primaryType", other, { ...data, primaryType: other, types: { ...data.types, [other]: fields } }];
  }
  for (let first = 0; first < fields.length; first += 1)
    for (let second = first + 1; second < fields.length; second += 1) {
      const order = [...fields];
      [order[first], order[second]] = [order[second]!, order[first]!];
      yield [`types.${primaryType}`, `order ${order.map(({ name }) => name).join(", ")}`, withFields(order)];
    }
  for (const [index, { name, type }] of fields.entries()) {
    const others = isIntegerType(type)
      ? ["uint8", "uint64", "uint96", "uint128", "int256", "string"]
      : ["string", "bytes"];
    for (const other of others)
      yield [`types.${primaryType}.${name}`, other, withFields(fields.with(index, { name, type: other }))];
  }
}

/** Ways to sign that are not EIP-712 at all. */
function* schemeChanges(data: AnyTypedData): Generator<Change> {
  const { digest, structHash } = computeHashes(data);
  const given = "EIP-712 (eth_signTypedData_v4)";
  const createChange = (field: string, signed: string, hash: Hex): Change => ({ field, given, signed, digest: hash });
  yield createChange("scheme", "personal_sign (EIP-191) of the digest's 32 bytes", hashMessage({ raw: digest }));
  yield createChange("scheme", "personal_sign (EIP-191) of the digest as text", hashMessage(digest));
  yield createChange("scheme", "personal_sign (EIP-191) of the payload's JSON", hashMessage(JSON.stringify(data)));
  yield createChange(
    "scheme",
    "personal_sign (EIP-191) of the message's JSON",
    hashMessage(JSON.stringify(data.message)),
  );
  yield createChange("scheme", "personal_sign (EIP-191) of the struct hash", hashMessage({ raw: structHash }));
  yield createChange("scheme", "the bare struct hash, without domain", structHash);
}

const getPath = (data: AnyTypedData, path: string): unknown =>
  path
    .split(".")
    .reduce<unknown>((value, key) => (value as { readonly [key: string]: unknown } | undefined)?.[key], data);

/** Every candidate once, the likeliest first. */
export function* generateChanges(data: AnyTypedData, facts: ChangeFacts): Generator<Change> {
  const seen = new Set<Hex>([computeHashes(data).digest]);
  const sources = [domainChanges(data, facts), messageChanges(data), typeChanges(data)];
  for (const change of schemeChanges(data)) yield change;
  for (const source of sources)
    for (const [field, value, changed] of source) {
      const digest = computeDigest(changed);
      if (digest === null || seen.has(digest)) continue;
      seen.add(digest);
      yield { field, given: formatValue(getPath(data, field)), signed: formatValue(value), digest };
    }
}

/** What is wrong with a signature's bytes, and the valid form if it can be determined. */
export function repairSignature(signature: Hex): { readonly problem: string | null; readonly repaired: Hex | null } {
  const bytes = size(signature);
  if (bytes === 64) {
    const vs = hexToBigInt(slice(signature, 32));
    const s = (vs & ((1n << 255n) - 1n)).toString(16).padStart(64, "0");
    const v = vs >> 255n === 0n ? "1b" : "1c";
    const repaired = `${slice(signature, 0, 32)}${s}${v}` as Hex;
    return { problem: "it is in the compact form of EIP-2098 (64 bytes); expected r, s and v in 65", repaired };
  }
  if (bytes !== 65) return { problem: `it has ${bytes} bytes; expected 65 (r, s, v)`, repaired: null };
  const s = hexToBigInt(slice(signature, 32, 64));
  const v = Number(hexToBigInt(slice(signature, 64)));
  if (s > CURVE_ORDER / 2n) {
    const low = (CURVE_ORDER - s).toString(16).padStart(64, "0");
    const flipped = v % 2 === 1 ? "1c" : "1b";
    const repaired = `${slice(signature, 0, 32)}${low}${flipped}` as Hex;
    return { problem: "its s is in the upper half, which contracts refuse (EIP-2)", repaired };
  }
  if (v === 0 || v === 1) {
    const repaired = `${slice(signature, 0, 64)}${(v + 27).toString(16)}` as Hex;
    return { problem: `its v is ${v}; expected 27 or 28`, repaired };
  }
  if (v !== 27 && v !== 28) return { problem: `its v is ${v}; expected 27 or 28`, repaired: null };
  return { problem: null, repaired: null };
}
