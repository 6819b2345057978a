/** How each field of a message or a call is shown to the person who signs it. */
import { NATIVE_COIN } from "../../market.ts";
import { getFieldLabel } from "../field-labels.ts";
import type { FieldDescriptor, GroupDescriptor } from "./descriptor.ts";

/** A field of an ABI, or of a typed message whose structs are resolved. */
export interface Parameter {
  readonly name?: string | undefined;
  readonly type: string;
  readonly components?: readonly Parameter[] | undefined;
}

type Format = Pick<FieldDescriptor, "format" | "params" | "visible">;

const RAW: Format = { format: "raw" };
const DATE: Format = { format: "date", params: { encoding: "timestamp" } };
/** Meaningless to a person, and checked by the contract. */
const HIDDEN: Format = { format: "raw", visible: "never" };
const toAddress = (type: string): Format => ({ format: "addressName", params: { types: [type] } });
const PAYMENT: Format = {
  format: "tokenAmount",
  params: { tokenPath: "token", nativeCurrencyAddress: NATIVE_COIN },
};

/** By the field's name; `consideration.startAmount` holds inside `consideration` only. */
const FORMATS: { readonly [name: string]: Format } = {
  "consideration.startAmount": PAYMENT,
  "consideration.endAmount": PAYMENT,
  "offer.identifierOrCriteria": { format: "nftName", params: { collectionPath: "token" } },
  amount: { format: "tokenAmount", params: { tokenPath: "@.to" } },
  score: { format: "unit", params: { base: "points" } },
  deadline: DATE,
  startTime: DATE,
  endTime: DATE,
  token: toAddress("token"),
  operator: toAddress("contract"),
  spender: toAddress("contract"),
  zone: toAddress("contract"),
  signature: HIDDEN,
  consent: HIDDEN,
  nonce: { format: "raw", visible: "optional" },
  salt: { format: "raw", visible: "optional" },
  zoneHash: { format: "raw", visible: "optional" },
  conduitKey: { format: "raw", visible: "optional" },
  fulfillerConduitKey: { format: "raw", visible: "optional" },
  totalOriginalConsiderationItems: { format: "raw", visible: "optional" },
};

const findFormat = (parent: string, name: string, type: string): Format =>
  FORMATS[`${parent}.${name}`] ?? FORMATS[name] ?? (type === "address" ? toAddress("wallet") : RAW);

/** A descriptor of every field, in the order of the type; `parent` is the name of the field that they are in. */
export const describeFields = (
  parameters: readonly Parameter[],
  parent = "",
): readonly (FieldDescriptor | GroupDescriptor)[] =>
  parameters.map(({ name = "", type, components }) => {
    const label = getFieldLabel(name);
    if (components === undefined) {
      const isList = type.endsWith("]");
      return { path: isList ? `${name}.[]` : name, label, ...findFormat(parent, name, type) };
    }
    const fields = describeFields(components, name);
    if (!type.endsWith("]")) return { path: name, label, fields };
    return { path: `${name}.[]`, label, iteration: "sequential", fields };
  });
