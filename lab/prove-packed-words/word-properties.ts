/** What must hold of any packed word: each getter reads its field, each setter changes its fields only. */
import { readLayout } from "./solidity.ts";
import { and, atMost, eq, most } from "./terms.ts";
import { bv, type Term, type Translator, WORD_BITS } from "./to-smt.ts";

export interface Property {
  readonly name: string;
  /** Variables of the property besides `word`, and how many bits each may have. */
  readonly variables: { readonly [name: string]: number };
  readonly assume: readonly Term[];
  readonly claim: Term;
}

type Changes = { readonly [field: string]: Term };
interface Setter {
  readonly name: string;
  readonly args: readonly string[];
  readonly variables: { readonly [name: string]: number };
  readonly assume?: readonly Term[];
  /** The fields that change, and what each becomes; every other bit of the word stays. */
  readonly changes: Changes;
}
export interface Word {
  readonly file: string;
  readonly bits: number;
  readonly setters: readonly Setter[];
  readonly more?: (properties: WordProperties) => readonly Property[];
}

/** Properties of one word, from its drawn layout. */
export class WordProperties {
  readonly #translator: Translator;
  readonly #word: Word;

  constructor(translator: Translator, word: Word) {
    this.#translator = translator;
    this.#word = word;
  }

  get #fields() {
    return readLayout(this.#translator.source(this.#word.file), this.#word.bits);
  }

  /** A field of a word, cut out as the layout draws it. */
  field(name: string, word: Term = "word"): Term {
    const field = this.#fields.find((one) => one.name === name);
    if (field === undefined) throw new Error(`${this.#word.file}: the layout has no ${name}`);
    return `((_ zero_extend ${WORD_BITS - field.bits}) ((_ extract ${field.offset + field.bits - 1} ${field.offset}) ${word}))`;
  }

  call(name: string, ...args: readonly Term[]): Term {
    return this.#translator.call(this.#word.file, name, args);
  }

  property(name: string, claim: Term, variables: Property["variables"] = {}, assume: readonly Term[] = []): Property {
    const fits = this.#word.bits < WORD_BITS ? [atMost("word", most(this.#word.bits))] : [];
    return { name: `${this.#word.file}: ${name}`, variables, assume: [...fits, ...assume], claim };
  }

  all(): readonly Property[] {
    return [...this.#getters(), ...this.#word.setters.map((setter) => this.#setter(setter)), ...this.#more()];
  }

  #more(): readonly Property[] {
    return this.#word.more?.(this) ?? [];
  }

  #getters(): readonly Property[] {
    const named = this.#fields.filter(({ name }) => this.#translator.has(this.#word.file, name));
    return named.map(({ name, bits }) => {
      const value = this.call(name, "word");
      const field = this.field(name);
      const isBool = bits === 1;
      return this.property(`${name} reads its field`, isBool ? eq(value, eq(field, bv(1n))) : eq(value, field));
    });
  }

  #setter({ name, args, variables, assume = [], changes }: Setter): Property {
    const next = this.call(name, "word", ...args);
    const claims = this.#fields.map((field) =>
      eq(this.field(field.name, "next"), changes[field.name] ?? this.field(field.name)),
    );
    const missing = Object.keys(changes).find((changed) => !this.#fields.some((field) => field.name === changed));
    if (missing !== undefined) throw new Error(`${this.#word.file}: the layout has no ${missing}`);
    const fits = this.#word.bits < WORD_BITS ? [atMost("next", most(this.#word.bits))] : [];
    const title = `${name} changes ${Object.keys(changes).join(" and ")} and no other bit`;
    return this.property(title, `(let ((next ${next})) ${and(...claims, ...fits)})`, variables, assume);
  }
}
