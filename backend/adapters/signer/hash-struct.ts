/** `hashStruct` of EIP-712, compiled once for a type: its type hash, a fixed buffer and one encoder for each field. */

import type { TypedField } from "../../../domain/typed-data/messages.ts";
import { encodeType } from "../../../domain/typed-data/messages.ts";
import { createFieldError, ENCODERS, type EncodeWord, FieldError, WORD_BYTES } from "./abi-encoders.ts";
import { keccak256 } from "./keccak.ts";

type Types = { readonly [name: string]: readonly TypedField[] };

/** Throws `FieldError` with the path of a field whose value does not fit its type. */
export type HashStruct = (value: unknown) => Uint8Array;

const prefixFieldError = (error: unknown, name: string): unknown =>
  error instanceof FieldError ? error.withParent(name) : error;

function compileArray(encodeItem: EncodeWord): EncodeWord {
  return (value, buffer, offset) => {
    if (!Array.isArray(value)) throw createFieldError("a list", value);
    const encoded = Buffer.allocUnsafe(WORD_BYTES * value.length);
    for (let i = 0; i < value.length; i++) {
      try {
        encodeItem(value[i], encoded, WORD_BYTES * i);
      } catch (error) {
        throw prefixFieldError(error, String(i));
      }
    }
    buffer.set(keccak256(encoded), offset);
  };
}

function compileField(types: Types, type: string): EncodeWord {
  if (type.endsWith("[]")) return compileArray(compileField(types, type.slice(0, -2)));
  if (types[type] !== undefined) {
    const hash = compileStruct(types, type);
    return (value, buffer, offset) => buffer.set(hash(value), offset);
  }
  const encode = ENCODERS[type];
  if (encode === undefined) throw new Error(`The EIP-712 type ${type} has no encoder in abi-encoders.ts`);
  return encode;
}

/**
 * Compiles a struct of a table of types. Throws when a type has no encoder. Every call reuses the buffer, so a struct
 * must not contain itself; no struct of the table does.
 */
export function compileStruct(types: Types, name: string): HashStruct {
  const fields = types[name]!.map((field) => ({ name: field.name, encode: compileField(types, field.type) }));
  const buffer = Buffer.alloc(WORD_BYTES * (fields.length + 1));
  buffer.set(keccak256(Buffer.from(encodeType(types, name))));
  return (value) => {
    if (typeof value !== "object" || value === null) throw createFieldError(`an object of type ${name}`, value);
    let offset = 0;
    for (const field of fields) {
      offset += WORD_BYTES;
      try {
        field.encode((value as { readonly [field: string]: unknown })[field.name], buffer, offset);
      } catch (error) {
        throw prefixFieldError(error, field.name);
      }
    }
    return keccak256(buffer);
  };
}
