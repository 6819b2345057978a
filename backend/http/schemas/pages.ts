/** Paged lists: the parameters of requests and the form of responses. */
import { z } from "zod";

/** An integer in a query: decimal digits only, not the other forms of a JavaScript number (`1e3`, `0x10`, ` 7`). */
const queryInteger = (min: number, max: number) =>
  z
    .preprocess(
      (value) => (typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : value),
      z.int().min(min).max(max),
    )
    .meta({ type: "integer", minimum: min, maximum: max }) as unknown as z.ZodType<number, number>;

const BOOLEANS: { readonly [text: string]: boolean } = { true: true, 1: true, false: false, 0: false };

/** A boolean in a query: `true` or `false`. Python writes `True`, other libraries `1`. */
export const queryBoolean = z
  .preprocess((value) => BOOLEANS[String(value).toLowerCase()] ?? value, z.boolean('expected "true" or "false"'))
  .meta({ type: "boolean" }) as unknown as z.ZodType<boolean, boolean | "true" | "false">;

export const pageQuery = {
  limit: queryInteger(1, 100).default(25),
  page: queryInteger(1, 1000).default(1),
};
export const pageBody = {
  limit: z.int().min(1).max(100).default(25),
  page: z.int().min(1).max(1000).default(1),
};
export const pageOut = <T extends z.ZodType>(item: T) => ({
  items: z.array(item),
  page: z.int(),
  limit: z.int(),
  total: z.int(),
});

/** Second names of lists, which clients of the interface's first version use. No other list has one. */
type ListName = "games" | "sessions" | "listings" | "entries";

type NamedPageOut<Name extends ListName, T extends z.ZodType> = ReturnType<typeof pageOut<T>> & {
  readonly [name in Name]: z.ZodArray<T>;
};

/** Like `pageOut`, with the list's second name. */
export const namedPageOut = <Name extends ListName, T extends z.ZodType>(name: Name, item: T) =>
  ({ ...pageOut(item), [name]: z.array(item) }) as NamedPageOut<Name, T>;

/** A page whose list is also under a second name. */
export const nameList = <Name extends ListName, Item, P extends { readonly items: readonly Item[] }>(
  name: Name,
  page: P,
) => ({ ...page, [name]: page.items }) as P & { readonly [name in Name]: P["items"] };
