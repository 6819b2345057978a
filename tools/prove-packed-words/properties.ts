/** What must hold of the packed words, over all their values. */
import { readLayout } from "./solidity.ts";
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
interface Word {
  readonly file: string;
  readonly bits: number;
  readonly setters: readonly Setter[];
  readonly more?: (properties: WordProperties) => readonly Property[];
}

const and = (...terms: readonly Term[]): Term => (terms.length === 1 ? terms[0]! : `(and ${terms.join(" ")})`);
const add = (a: Term, b: Term): Term => `(bvadd ${a} ${b})`;
const sub = (a: Term, b: Term): Term => `(bvsub ${a} ${b})`;
const eq = (a: Term, b: Term): Term => `(= ${a} ${b})`;
const atMost = (a: Term, b: Term): Term => `(bvule ${a} ${b})`;
const below = (a: Term, b: Term): Term => `(bvult ${a} ${b})`;
const ite = (condition: Term, yes: Term, no: Term): Term => `(ite ${condition} ${yes} ${no})`;
const most = (bits: number): Term => bv((1n << BigInt(bits)) - 1n);

/** Properties of one word, from its drawn layout. */
class WordProperties {
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
      const [value, field] = [this.call(name, "word"), this.field(name)];
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

const bool = (name: string): Term => eq(name, bv(1n));

const WORDS: readonly Word[] = [
  {
    file: "SignerConfig",
    bits: 256,
    setters: [
      {
        name: "setSigner",
        args: ["account", bool("flag")],
        variables: { account: 160, flag: 1 },
        changes: { signer: "account", signerIsContract: "flag" },
      },
      { name: "setPaused", args: [bool("flag")], variables: { flag: 1 }, changes: { paused: "flag" } },
    ],
  },
  {
    file: "IdentityConfig",
    bits: 256,
    setters: [
      { name: "setLastAgentId", args: ["id"], variables: { id: 64 }, changes: { lastAgentId: "id" } },
      { name: "setBaseUriMoved", args: [], variables: {}, changes: { baseUriMoved: bv(1n) } },
    ],
  },
  {
    file: "RewardsConfig",
    bits: 256,
    setters: [
      {
        name: "setMaxScorePerSession",
        args: ["score"],
        variables: { score: 64 },
        changes: { maxScorePerSession: "score" },
      },
    ],
  },
  scoreAccount(),
  payoutWindow(),
  {
    file: "HolderState",
    bits: 256,
    setters: [
      {
        name: "setPrimary",
        args: ["id", "since"],
        variables: { id: 64, since: 40 },
        changes: { primaryId: "id", primarySince: "since" },
      },
      ...[
        { name: "incrementNonce", field: "mintNonce", step: add, limit: most(64) },
        { name: "incrementBalance", field: "balance", step: add, limit: most(64) },
        { name: "decrementBalance", field: "balance", step: sub, limit: bv(0n) },
      ].map(({ name, field, step, limit }) => ({
        name,
        args: [],
        variables: { before: 64 },
        assume: [eq("before", holderField(field)), `(not ${eq("before", limit)})`],
        changes: { [field]: step("before", bv(1n)) },
      })),
    ],
  },
  {
    file: "TokenSlot",
    bits: 256,
    setters: [
      { name: "setOwner", args: ["account"], variables: { account: 160 }, changes: { owner: "account" } },
      { name: "setData", args: ["value"], variables: { value: 96 }, changes: { data: "value" } },
    ],
  },
  gameRecord(),
];

/** The fields of HolderState that count, by their drawn places. */
function holderField(name: string): Term {
  const offset = name === "mintNonce" ? 104 : 168;
  return `((_ zero_extend 192) ((_ extract ${offset + 63} ${offset}) word))`;
}

function scoreAccount(): Word {
  const bank = "((_ zero_extend 160) ((_ extract 95 0) word))";
  const count = "((_ zero_extend 224) ((_ extract 247 216) word))";
  // The bank never holds more than its number of snapshots times 2^64 points.
  const bound = (banked: Term, snapshots: Term): Term => atMost(banked, `(bvshl ${snapshots} ${bv(64n)})`);
  const isCounted = [bound(bank, count), below(count, most(32))];
  return {
    file: "ScoreAccount",
    bits: 256,
    setters: [
      {
        name: "credit",
        args: ["score", "time"],
        variables: { score: 64, time: 40 },
        assume: isCounted,
        changes: {
          scorebank: add(bank, "score"),
          firstPlayAt: ite(eq("word", bv(0n)), "time", "((_ zero_extend 216) ((_ extract 135 96) word))"),
          lastSnapshotAt: "time",
          snapshots: add(count, bv(1n)),
        },
      },
      {
        name: "pay",
        args: ["points", "time"],
        variables: { points: 96, time: 40 },
        assume: [atMost("points", bank)],
        changes: { scorebank: sub(bank, "points"), lastPayoutAt: "time" },
      },
    ],
    more: (word) => [
      word.property(
        "credit keeps the bank within its bound, so no sum overflows",
        `(let ((next ${word.call("credit", "word", "score", "time")})) ${bound(word.field("scorebank", "next"), word.field("snapshots", "next"))})`,
        { score: 64, time: 40 },
        isCounted,
      ),
    ],
  };
}

function payoutWindow(): Word {
  const point = (offset: number): Term => `((_ zero_extend 216) ((_ extract ${offset + 39} ${offset}) word))`;
  const [today, week, daily, weekly, payout] = [0, 40, 80, 120, 160].map(point) as [Term, Term, Term, Term, Term];
  const day = "((_ zero_extend 232) ((_ extract 223 200) word))";
  const weekOf = (term: Term): Term => `(div7 ${add(term, bv(3n))})`;
  const left = (cap: Term, paid: Term): Term => ite(`(bvugt ${cap} ${paid})`, sub(cap, paid), bv(0n));
  return {
    file: "PayoutWindow",
    bits: 256,
    setters: [
      {
        name: "onDay",
        args: ["now"],
        variables: { now: 24 },
        changes: {
          day: "now",
          paidToday: ite(eq(day, "now"), today, bv(0n)),
          paidThisWeek: ite(eq(weekOf(day), weekOf("now")), week, bv(0n)),
        },
      },
      {
        name: "spend",
        args: ["points"],
        variables: { points: 40 },
        assume: [atMost("points", left(daily, today)), atMost("points", left(weekly, week))],
        changes: { paidToday: add(today, "points"), paidThisWeek: add(week, "points") },
      },
      {
        name: "setCaps",
        args: ["daily", "weekly"],
        variables: { daily: 40, weekly: 40 },
        changes: { dailyCap: "daily", weeklyCap: "weekly" },
      },
      { name: "setMaxPayout", args: ["points"], variables: { points: 40 }, changes: { maxPayout: "points" } },
      { name: "setPaused", args: [bool("flag")], variables: { flag: 1 }, changes: { paused: "flag" } },
    ],
    more: (word) => {
      const now = word.call("payableNow", "word");
      const bounds = [payout, left(daily, today), left(weekly, week)];
      return [
        word.property("dailyLeft is what the day's cap leaves", eq(word.call("dailyLeft", "word"), left(daily, today))),
        word.property(
          "weeklyLeft is what the week's cap leaves",
          eq(word.call("weeklyLeft", "word"), left(weekly, week)),
        ),
        word.property(
          "payableNow is the smallest of the three bounds",
          and(...bounds.map((one) => atMost(now, one)), `(or ${bounds.map((one) => eq(now, one)).join(" ")})`),
        ),
      ];
    },
  };
}

function gameRecord(): Word {
  const count = "((_ zero_extend 244) ((_ extract 43 32) word))";
  const minutes = "(div60 time)";
  return {
    file: "GameRecord",
    bits: 96,
    setters: [
      {
        name: "upgrade",
        args: ["points", "time"],
        variables: { points: 32, time: 40 },
        assume: [atMost(minutes, most(26))],
        changes: {
          score: "points",
          upgradedAtMinute: minutes,
          upgrades: ite(eq(count, most(12)), count, add(count, bv(1n))),
        },
      },
      { name: "annul", args: [], variables: {}, changes: { score: bv(0n) } },
    ],
    more: (word) => [
      word.property(
        "newGameRecord holds score and minute of the mint, and nothing else",
        eq(word.call("newGameRecord", "points", "time"), `(bvor points (bvshl ${minutes} ${bv(44n)}))`),
        { points: 32, time: 40 },
        [atMost(minutes, most(26))],
      ),
      ...["mintedAt", "upgradedAt"].map((name) =>
        word.property(
          `${name} is its minute in seconds`,
          eq(word.call(name, "word"), `(bvmul ${word.field(`${name}Minute`)} ${bv(60n)})`),
        ),
      ),
    ],
  };
}

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
