import { readFileSync } from "node:fs";
import { expect } from "chai";
import { type Abi, type Address, toFunctionSelector, toFunctionSignature, zeroAddress } from "viem";
import { z } from "zod";
import { getCompiledPath } from "../../../deploy/artifacts.ts";
import { CALLS } from "../../../domain/typed-data/calls.ts";
import { CALL_FORMATS } from "../../../domain/typed-data/clear-signing/calls.ts";
import { createDescriptorFiles } from "../../../domain/typed-data/clear-signing/files.ts";
import { renderCall, renderMessage } from "../../../domain/typed-data/clear-signing/render.ts";
import { createTypedData, type PrimaryType, TYPED_MESSAGES } from "../../../domain/typed-data/messages.ts";

const text = z.string().regex(/\S/);
const deployments = z.array(z.strictObject({ chainId: z.int(), address: z.string().regex(/^0x[0-9a-fA-F]{40}$/) }));

/**
 * The rules of the published schema (erc7730-v2.schema.json, versions 2.0 and 2.1) for the parts that our descriptors
 * use, written down here by hand: the schema's own file is in no package of the registry.
 */
const PARAMETERS: { readonly [format: string]: z.ZodType } = {
  raw: z.undefined(),
  addressName: z.strictObject({ types: z.array(z.enum(["wallet", "eoa", "contract", "token", "collection"])) }),
  date: z.strictObject({ encoding: z.enum(["blockheight", "timestamp"]) }),
  unit: z.strictObject({ base: z.string(), decimals: z.int().optional(), prefix: z.boolean().optional() }),
  nftName: z.strictObject({ collectionPath: z.string() }),
  tokenAmount: z.strictObject({ tokenPath: z.string(), nativeCurrencyAddress: z.string().optional() }),
};
const field = z
  .strictObject({
    path: z.string(),
    label: z.string(),
    format: z.enum(Object.keys(PARAMETERS) as [string, ...string[]]),
    params: z.unknown().optional(),
    visible: z.enum(["always", "never", "optional"]).optional(),
  })
  .refine(({ format, params }) => PARAMETERS[format]!.safeParse(params).success, "parameters of the format");
const group: z.ZodType = z.strictObject({
  path: z.string(),
  label: z.string(),
  iteration: z.enum(["sequential", "bundled"]).optional(),
  fields: z.array(z.union([field, z.lazy(() => group)])),
});
const descriptor = z.strictObject({
  $schema: z.url(),
  context: z.union([
    z.strictObject({ contract: z.strictObject({ deployments }) }),
    z.strictObject({
      eip712: z.strictObject({
        domain: z.strictObject({ name: z.string().optional(), version: z.string() }),
        deployments: deployments.optional(),
      }),
    }),
  ]),
  metadata: z.strictObject({ owner: z.string(), contractName: z.string().optional() }),
  display: z.strictObject({
    formats: z.record(
      z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*\(.*\)$/),
      z.strictObject({ intent: text, fields: z.array(z.union([field, group])) }),
    ),
  }),
});

/** viem writes a tuple without the word `tuple`. */
const toSelector = (key: string): string => toFunctionSelector(key.replaceAll("tuple(", "("));

type Fields = readonly { readonly path: string; readonly fields?: Fields }[];

/** Every leaf of a descriptor, as `items.[].score`. */
const listPaths = (fields: Fields, prefix = ""): readonly string[] =>
  fields.flatMap(({ path, fields: inner }) =>
    inner === undefined ? [`${prefix}${path}`] : listPaths(inner, `${prefix}${path}.`),
  );

type Parameter = { readonly name?: string; readonly type: string; readonly components?: readonly Parameter[] };

/** Every leaf of an ABI's inputs in the same form. */
const listLeaves = (inputs: readonly Parameter[], prefix = ""): readonly string[] =>
  inputs.flatMap(({ name, type, components }) => {
    const path = `${prefix}${name}${type.endsWith("]") ? ".[]" : ""}`;
    return components === undefined ? [path] : listLeaves(components, `${path}.`);
  });

describe("the clear-signing descriptors", () => {
  const address: Address = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
  const addresses = {
    AgentIdentity: [address],
    GameNFT: [address, address],
    RewardsV2: [address],
    RewardToken: [address],
    Seaport: [],
  } as const;
  const files = createDescriptorFiles([{ chainId: 8453, addresses }]);
  const formats = Object.entries(files).flatMap(([file, { display }]) =>
    Object.entries(display.formats).map(([key, format]) => ({ file, key, format })),
  );

  it("follow the rules of ERC-7730's schema v2", () => {
    for (const [name, file] of Object.entries(files)) {
      const { error } = descriptor.safeParse(file);
      expect(error, `${name}: ${error?.message}`).to.equal(undefined);
    }
  });

  it("have every function that the service prepares, by selector, with every argument", () => {
    for (const item of CALLS) {
      if (item.type !== "function") continue;
      const found = formats.filter(
        ({ file, key }) => file.startsWith("calldata-") && toSelector(key) === toFunctionSelector(item),
      );
      expect(found, item.name).to.have.length.above(0);
      for (const { format } of found)
        expect(listPaths(format.fields as Fields)).to.deep.equal(listLeaves(item.inputs as readonly Parameter[]));
    }
  });

  it("are in the file of each contract that has the function", () => {
    for (const contract of ["AgentIdentity", "GameNFT", "RewardsV2", "RewardToken"]) {
      const { abi } = JSON.parse(readFileSync(getCompiledPath(contract), "utf8")) as { abi: Abi };
      const compiled = abi.filter((item) => item.type === "function").map((item) => toFunctionSignature(item));
      for (const key of Object.keys(files[`calldata-${contract}.json`]!.display.formats)) {
        const item = CALL_FORMATS.find(({ abi: own }) => toSelector(key) === toFunctionSelector(own));
        expect(item, key).to.not.equal(undefined);
        expect(compiled, contract).to.include(toFunctionSignature(item!.abi));
      }
    }
  });

  it("have every typed message, with every field", () => {
    for (const [primaryType, { types }] of Object.entries(TYPED_MESSAGES)) {
      const found = formats.filter(({ key }) => key.startsWith(`${primaryType}(`));
      expect(found, primaryType).to.have.length(1);
      const structs = types as { readonly [name: string]: readonly Parameter[] };
      const resolve = (name: string): readonly Parameter[] =>
        structs[name]!.map((one) => {
          const inner = one.type.replace("[]", "");
          return structs[inner] === undefined ? one : { ...one, components: resolve(inner) };
        });
      expect(listPaths(found[0]!.format.fields as Fields)).to.deep.equal(listLeaves(resolve(primaryType)));
    }
  });

  it("contain the addresses of the deployment", () => {
    expect(files["calldata-GameNFT.json"]!.context).to.deep.equal({
      contract: {
        deployments: [
          { chainId: 8453, address },
          { chainId: 8453, address },
        ],
      },
    });
  });
});

describe("a signed message in words", () => {
  const facts = { getName: (address: string) => (address === zeroAddress ? "Nothing" : null) };

  for (const primaryType of Object.keys(TYPED_MESSAGES) as PrimaryType[])
    it(`shows ${primaryType} with every field that a user can check`, () => {
      const { example } = TYPED_MESSAGES[primaryType];
      const shown = renderMessage(createTypedData(primaryType, { chainId: 1 }, example), facts)!;
      expect(shown.intent).to.match(/^[A-Z]\w* .*\w$/);
      const texts = shown.fields.map(({ text: value }) => value);
      expect(texts).to.not.include("undefined");
      if ("score" in example) expect(texts).to.include(`${example.score} points`);
      if ("deadline" in example) expect(texts).to.include("2027-01-15T08:00:00Z");
    });

  it("shows each item of a list, and known addresses by name", () => {
    const batch = TYPED_MESSAGES.SnapshotBatch.example;
    const data = createTypedData("SnapshotBatch", { chainId: 1 }, { ...batch, wallet: zeroAddress });
    expect(renderMessage(data, facts)!.fields).to.deep.include.members([
      { label: "Wallet", text: `Nothing (${zeroAddress})` },
      { label: "Score 1 · Points", text: "800 points" },
      { label: "Score 2 · Points", text: "95 points" },
    ]);
  });

  it("shows nothing for a message with other fields under the same name", () => {
    const data = createTypedData("Vote", { chainId: 1 }, TYPED_MESSAGES.Vote.example);
    const types = { ...data.types, Vote: [...data.types.Vote!, { name: "extra", type: "uint256" }] };
    expect(renderMessage({ ...data, types }, facts)).to.equal(null);
  });

  it("shows a call with its arguments, but not calls that the product's wallets never make", () => {
    const call = { functionName: "payout", args: [zeroAddress] };
    expect(renderCall(call, facts)).to.deep.equal({
      intent: "Pay the scorebank out in tokens",
      fields: [{ label: "Wallet", text: `Nothing (${zeroAddress})` }],
    });
    expect(renderCall({ functionName: "withdraw", args: [] }, facts)).to.equal(null);
  });
});
