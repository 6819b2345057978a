import { sliceHex } from "viem";
import { TYPED_MESSAGES, type TypedData, type TypedField } from "../../../domain/typed-data/messages.ts";
import { getExampleSigner, listSigningExamples, type SigningExample } from "./signing-examples.ts";

type Fields = { readonly [field: string]: unknown };

/** `cast` arguments for a value as `abi.encode` needs it: strings and arrays by their hash (EIP-712, encodeData). */
function toCastValue(field: TypedField, value: unknown, types: TypedData["types"]): string {
  if (field.type === "string") return `$(cast keccak "${value}")`;
  if (!field.type.endsWith("[]")) return String(value);
  const item = field.type.slice(0, -2);
  const hashes = (value as readonly Fields[]).map((one) => toCastStruct(item, "$ITEM", one, types));
  return `$(cast keccak $(cast concat-hex ${hashes.join(" ")}))`;
}

function toCastStruct(name: string, typeHash: string, message: Fields, types: TypedData["types"]): string {
  const fields = types[name]!;
  const kinds = fields.map(({ type }) => (type === "string" || type.endsWith("[]") ? "bytes32" : type));
  const values = fields.map((field) => toCastValue(field, message[field.name], types));
  return `$(cast keccak $(cast abi-encode "f(${["bytes32", ...kinds].join(",")})" ${[typeHash, ...values].join(" ")}))`;
}

function toCastLines({ type, data, domainSeparator, typeString, signature }: SigningExample): readonly string[] {
  const item = typeString.match(/\)(Item\(.*\))$/)?.[1];
  const r = sliceHex(signature, 0, 32);
  const s = sliceHex(signature, 32, 64);
  const v = Number(sliceHex(signature, 64));
  return [
    ...(item === undefined ? [] : [`ITEM=$(cast keccak "${item}")`]),
    `TYPE=$(cast keccak "${typeString}")`,
    `STRUCT=${toCastStruct(type, "$TYPE", data.message, data.types)}`,
    `DIGEST=$(cast keccak $(cast concat-hex 0x1901 ${domainSeparator} $STRUCT))`,
    `SIGNATURE="$(cast to-uint256 ${v}) ${r} ${s}"`,
    `cast call 0x0000000000000000000000000000000000000001 $(cast concat-hex $DIGEST $SIGNATURE) --rpc-url $RPC_URL`,
  ];
}

/** JSON with each object of plain values on one line, if it fits. */
const toCompactJson = (data: TypedData): string =>
  JSON.stringify(data, null, 2).replaceAll(/\{\n( +"\w+": [^{}[\]]*?)\n +\}/g, (all, inner: string) => {
    const line = `{ ${inner.trim().replaceAll(/\n +/g, " ")} }`;
    return line.length <= 100 ? line : all;
  });

/** Common to all messages: how each library recovers the signer. */
const listPrograms = (signer: string): readonly string[] => [
  "Each program below prints the signer of an example. Start it beside `MintIdentity.json` with two arguments, the name",
  "of the example and its signature.",
  "",
  "viem:",
  "",
  "```ts",
  'import { readFileSync } from "node:fs";',
  'import { recoverTypedDataAddress } from "viem";',
  "const [name, signature] = process.argv.slice(2);",
  'const data = JSON.parse(readFileSync(name + ".json", "utf8"));',
  `console.log(await recoverTypedDataAddress({ ...data, signature })); // ${signer}`,
  "```",
  "",
  "ethers:",
  "",
  "```ts",
  'import { readFileSync } from "node:fs";',
  'import { verifyTypedData } from "ethers";',
  "const [name, signature] = process.argv.slice(2);",
  'const { domain, types: { EIP712Domain, ...types }, message } = JSON.parse(readFileSync(name + ".json", "utf8"));',
  `console.log(verifyTypedData(domain, types, message, signature)); // ${signer}`,
  "```",
  "",
  "Each message has its lines for cast. The last one calls the precompiled contract `ecrecover`, on any node.",
  "",
];

function renderSection(example: SigningExample): readonly string[] {
  const { type, data, signature } = example;
  const view = TYPED_MESSAGES[type].typeHashView;
  return [
    `## ${type}`,
    "",
    TYPED_MESSAGES[type].purpose,
    ...(view === null
      ? []
      : [`The contract returns the type hash as \`${view}()\` and the domain as \`eip712Domain()\`.`]),
    "",
    "| | |",
    "|---|---|",
    `| type string | \`${example.typeString}\` |`,
    `| type hash | \`${example.typeHash}\` |`,
    `| domain separator | \`${example.domainSeparator}\` |`,
    `| struct hash | \`${example.structHash}\` |`,
    `| digest | \`${example.digest}\` |`,
    `| signature | \`${signature}\` |`,
    "",
    `\`${type}.json\`:`,
    "",
    "```json",
    toCompactJson(data),
    "```",
    "",
    "```sh",
    ...toCastLines(example),
    "```",
    "",
  ];
}

/** `docs/signing.md`. */
export function renderSigningDocument(): string {
  const { address, privateKey } = getExampleSigner();
  return [
    "# Signing",
    "",
    "All signed messages are typed data (EIP-712). The signature is over",
    "`keccak256(0x1901 ‖ domain separator ‖ struct hash)`, where the struct hash is `keccak256(type hash ‖ fields)` and the",
    "type hash is `keccak256(type string)`. Domains have version 1; their name and contract determine which key signs. The",
    "signature is `r ‖ s ‖ v`, 65 bytes, with the smaller `s`. A deadline is at most a day ahead. Contracts mark",
    "messages as used, not signatures.",
    "",
    "The examples are signed by the first account of the well-known development mnemonic,",
    `address \`${address}\`,`,
    `key \`${privateKey}\`:`,
    "its keys are public and rejected on public chains. The contracts' addresses are made up. Numbers are",
    "decimal strings, to be safe in JSON.",
    "",
    "If a signature of the service is not valid, compare the domain with the contract's `eip712Domain()`, then the type",
    "hash, then the struct hash: the first difference is the cause. Most often it is the chain id or the address of another",
    "deployment.",
    "",
    "For wallets, `npm run deploy` writes an ERC-7730 descriptor (schema v2) of every message here, and of every call",
    "that a wallet sends, with the addresses of the deployment. `npm run sign-check` prints a message and its call in the",
    "words of the descriptors.",
    "",
    ...listPrograms(address),
    ...listSigningExamples().flatMap(renderSection),
    "*Made from `domain/typed-data/messages.ts` by `npm run docs`.*",
    "",
  ].join("\n");
}
