/** What must hold of the packed words, over all their values. */
import { add, below, eq, ite } from "./terms.ts";
import { bv, type Term, type Translator } from "./to-smt.ts";
import { type Property, WordProperties } from "./word-properties.ts";
import { WORDS } from "./words.ts";

/** The 32 digits of half a word: each is the lower-case hexadecimal digit of its nibble. */
function hexDigits(translator: Translator): readonly Property[] {
  const digits = translator.call("DigestUri", "_hexOfHalf", ["half"]);
  return Array.from({ length: 32 }, (_, index) => {
    const nibble = `((_ zero_extend 252) ((_ extract ${4 * index + 3} ${4 * index}) half))`;
    const digit = `((_ zero_extend 248) ((_ extract ${8 * index + 7} ${8 * index}) ${digits}))`;
    const expected = add(nibble, ite(below(nibble, bv(10n)), bv(48n), bv(87n)));
    return { name: `DigestUri: hex digit ${index}`, variables: { half: 128 }, assume: [], claim: eq(digit, expected) };
  });
}

/** The fields of `unpack` are those of the layout. */
function unpacked(translator: Translator): readonly Property[] {
  const word = new WordProperties(translator, WORDS.find(({ file }) => file === "ScoreAccount")!);
  const record = translator.record("ScoreAccount", "unpack", ["word"]) as { readonly [field: string]: Term };
  return Object.entries(record).map(([name, value]) =>
    word.property(`unpack reads ${name}`, eq(value, word.field(name))),
  );
}

export const listProperties = (translator: Translator): readonly Property[] => [
  ...WORDS.flatMap((word) => new WordProperties(translator, word).all()),
  ...unpacked(translator),
  ...hexDigits(translator),
];
