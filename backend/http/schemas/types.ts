/** Types of values that fit a schema. */
import type { z } from "zod";

/** What a handler may return for a response schema: services return readonly views. */
export type DeepReadonly<T> = T extends object ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> } : T;
/** A value that fits a schema. */
export type Example<Schema extends z.ZodType> = DeepReadonly<z.input<Schema>>;
