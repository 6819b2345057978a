/** `hashStruct` of EIP-712, compiled once for a type: its type hash, a fixed buffer and one writer for each field. */
import { typeStringOf } from "../../domain/explain.ts";
import type { TypedField } from "../../domain/typed-data.ts";
import { keccak256 } from "./keccak.ts";
import { FieldFault, faultOf, WORD_BYTES, WORDS, type WriteWord } from "./words.ts";

type Types = { readonly [name: string]: readonly TypedField[] };

/** Throws `FieldFault` naming the field whose value does not fit its type. */
export type HashStruct = (value: unknown) => Uint8Array;

const fromWithin = (fault: unknown, name: string): unknown =>
  fault instanceof FieldFault ? fault.within(name) : fault;

function compileArray(writeItem: WriteWord): WriteWord {
  return (value, into, at) => {
    if (!Array.isArray(value)) throw faultOf("a list", value);
    const words = Buffer.allocUnsafe(WORD_BYTES * value.length);
    for (let i = 0; i < value.length; i++) {
      try {
        writeItem(value[i], words, WORD_BYTES * i);
      } catch (fault) {
        throw fromWithin(fault, String(i));
      }
    }
    into.set(keccak256(words), at);
  };
}

function compileField(types: Types, type: string): WriteWord {
  if (type.endsWith("[]")) return compileArray(compileField(types, type.slice(0, -2)));
  if (types[type] !== undefined) {
    const hash = compileStruct(types, type);
    return (value, into, at) => into.set(hash(value), at);
  }
  const write = WORDS[type];
  if (write === undefined) throw new Error(`The EIP-712 type ${type} has no writer in words.ts`);
  return write;
}

/**
 * Compiles a struct of a table of types. Throws where a type has no writer. The buffer is reused by each call, which a
 * struct that contains itself could not bear; the table has none.
 */
export function compileStruct(types: Types, name: string): HashStruct {
  const fields = types[name]!.map((field) => ({ name: field.name, write: compileField(types, field.type) }));
  const buffer = Buffer.alloc(WORD_BYTES * (fields.length + 1));
  buffer.set(keccak256(Buffer.from(typeStringOf(types, name))));
  return (value) => {
    if (typeof value !== "object" || value === null) throw faultOf(`an object of type ${name}`, value);
    let at = 0;
    for (const field of fields) {
      at += WORD_BYTES;
      try {
        field.write((value as { readonly [field: string]: unknown })[field.name], buffer, at);
      } catch (fault) {
        throw fromWithin(fault, field.name);
      }
    }
    return keccak256(buffer);
  };
}
