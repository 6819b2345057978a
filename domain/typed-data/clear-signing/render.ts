/** What a wallet that knows the descriptors shows before it signs. */
import { isAddress } from "viem";
import type { AnyTypedData } from "../explain.ts";
import { CALL_FORMATS, describeCall } from "./calls.ts";
import { type FieldDescriptor, type FormatDescriptor, type GroupDescriptor, isGroup } from "./descriptor.ts";
import { findMessageFormat } from "./messages.ts";

interface ShownField {
  readonly label: string;
  readonly text: string;
}

export interface Shown {
  readonly intent: string;
  readonly fields: readonly ShownField[];
}

export interface RenderFacts {
  /** The name of a known contract. */
  readonly getName: (address: string) => string | null;
}

type Fields = { readonly [name: string]: unknown };

const MAX_DATE_SECONDS = 8.64e12;

function toDateText(value: unknown): string {
  const seconds = Number(value);
  return seconds <= MAX_DATE_SECONDS ? new Date(seconds * 1000).toISOString().replace(".000Z", "Z") : String(value);
}

function toText({ format, params = {} }: FieldDescriptor, value: unknown, facts: RenderFacts): string {
  if (format === "date") return toDateText(value);
  if (format === "unit") return `${String(value)} ${String(params.base)}`;
  if (format !== "addressName" || typeof value !== "string" || !isAddress(value, { strict: false }))
    return String(value);
  const name = facts.getName(value);
  return name === null ? value : `${name} (${value})`;
}

function renderField(field: FieldDescriptor, values: Fields, facts: RenderFacts): readonly ShownField[] {
  if (field.visible === "never") return [];
  const name = field.path.replace(/\.\[\]$/, "");
  const value = values[name];
  const list = Array.isArray(value) ? value : [value];
  return list.map((item) => ({ label: field.label, text: toText(field, item, facts) }));
}

function renderGroup(group: GroupDescriptor, values: Fields, facts: RenderFacts): readonly ShownField[] {
  const value = values[group.path.replace(/\.\[\]$/, "")];
  const items = (Array.isArray(value) ? value : [value]) as readonly Fields[];
  return items.flatMap((item, index) => {
    const label = items.length > 1 ? `${group.label} ${index + 1}` : group.label;
    return renderFields(group.fields, item, facts).map((row) => ({ ...row, label: `${label} · ${row.label}` }));
  });
}

const renderFields = (fields: FormatDescriptor["fields"], values: Fields, facts: RenderFacts): readonly ShownField[] =>
  fields.flatMap((field) => (isGroup(field) ? renderGroup(field, values, facts) : renderField(field, values, facts)));

const render = ({ intent, fields }: FormatDescriptor, values: Fields, facts: RenderFacts): Shown => ({
  intent,
  fields: renderFields(fields, values, facts),
});

/** A typed message as text; null for messages of other products. */
export function renderMessage(
  { primaryType, types, message }: Omit<AnyTypedData, "domain">,
  facts: RenderFacts,
): Shown | null {
  const format = findMessageFormat(primaryType, types);
  return format === null ? null : render(format, message, facts);
}

/** A prepared call as text; null for a function that no wallet of this product calls. */
export function renderCall(
  { functionName, args }: { readonly functionName: string; readonly args: readonly unknown[] },
  facts: RenderFacts,
): Shown | null {
  const call = CALL_FORMATS.find(({ abi }) => abi.name === functionName);
  if (call === undefined || call.abi.inputs.length !== args.length) return null;
  const values = Object.fromEntries(call.abi.inputs.map(({ name = "" }, index) => [name, args[index]]));
  return render(describeCall(call), values, facts);
}
