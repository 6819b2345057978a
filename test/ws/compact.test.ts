import { readFileSync } from "node:fs";
import { expect } from "chai";
import fc from "fast-check";
import { CompactDecoder, CompactError } from "../../client/compact.ts";
import { COMPACT_LIMITS, type CompactMessage } from "../../domain/protocol/compact.ts";
import { CompactEncoder, encodeFrameMessage } from "../../domain/protocol/compact-encode.ts";
import { compactMessage } from "../../domain/protocol/messages.ts";
import { toInputCodes, toPlayFrame, toSeed } from "../../scripts/evaluate/play.ts";
import { games } from "../fixtures/games.ts";

/** An encoder, and a reader that receives every frame. */
function createCodecPair() {
  const encoder = new CompactEncoder();
  const decoder = new CompactDecoder();
  return {
    encoder,
    send(value: unknown, skipped = 0): { readonly frame: unknown; readonly bytes: number; readonly extra: number } {
      const message = encodeFrameMessage(encoder.encode(value), skipped);
      const entries = encoder.takeNewEntries();
      const text = entries === null ? "" : JSON.stringify(entries);
      if (entries !== null) decoder.addEntries(compactMessage.parse(JSON.parse(text)));
      return { frame: decoder.decode(message), bytes: message.length, extra: text.length };
    },
  };
}

for (const game of games) {
  describe(`compact frames of ${game.slug}`, () => {
    const inputs = fc.array(fc.subarray([...game.inputs.map(({ code }) => code), 99]), { maxLength: 300, size: "max" });
    const seeds = fc.uint8Array({ minLength: 32, maxLength: 32 });

    it("a compact frame decodes to the JSON frame, key for key, with any inputs", () => {
      fc.assert(
        fc.property(seeds, inputs, fc.nat({ max: 70_000 }), (seed, codes, ackSeq) => {
          const state = game.init(seed, game.tickHz);
          const { send } = createCodecPair();
          for (const [index, now] of codes.entries()) {
            game.step(state, now);
            const frame = { ...toPlayFrame(game, state), ...(index % 3 === 0 ? {} : { ackSeq }) };
            expect(JSON.stringify(send(frame).frame)).to.equal(JSON.stringify(frame));
          }
        }),
        { numRuns: 25 },
      );
    });

    it("compact frames take at most 0.15 of the bytes over a whole run, dictionaries included", () => {
      const bot = game.bots.reference();
      const state = game.init(toSeed(1), game.tickHz);
      const { send } = createCodecPair();
      let json = 0;
      let compact = 0;
      while (!state.over) {
        const frame = toPlayFrame(game, state);
        game.step(state, toInputCodes(game, bot(frame)));
        const sent = send(frame);
        json += Buffer.byteLength(JSON.stringify({ t: "frame", frame }));
        compact += sent.bytes + sent.extra;
      }
      expect(compact / json).to.be.below(0.15);
    });
  });
}

describe("the compact format", () => {
  const jsonValue = fc.jsonValue().filter((value) => !JSON.stringify(value).includes("__proto__"));

  it("the format encodes any JSON value in an object", () => {
    const { send } = createCodecPair();
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.string().filter((key) => key !== "__proto__"),
          jsonValue,
        ),
        (value) => {
          const plain = JSON.parse(JSON.stringify(value));
          expect(send(plain).frame).to.deep.equal(plain);
        },
      ),
      { numRuns: 300 },
    );
  });

  it("the format encodes numbers of every size", () => {
    const { send } = createCodecPair();
    const edges = [
      0,
      1,
      15,
      16,
      63,
      64,
      2 ** 31,
      2 ** 32 + 1,
      COMPACT_LIMITS.integer,
      Number.MAX_SAFE_INTEGER,
      0.5,
      1e300,
    ];
    const value = { list: [...edges, ...edges.map((edge) => -edge)].map((edge) => (edge === 0 ? 0 : edge)) };
    expect(send(value).frame).to.deep.equal(value);
  });

  it("encoding continues when the dictionaries are full, and their size stays bounded", () => {
    const { send, encoder } = createCodecPair();
    for (let i = 0; i < COMPACT_LIMITS.shapes + 50; i++) {
      const value = { [`key${i}`]: `word${i}`, kind: `kind${i}`, w: i };
      expect(send(value).frame).to.deep.equal(value);
    }
    const { words, shapes } = encoder.allEntries()!;
    expect(words).to.have.length(COMPACT_LIMITS.words);
    expect(shapes).to.have.length(COMPACT_LIMITS.shapes);
  });

  it("a value that changes in every frame is removed from the shapes", () => {
    const { send, encoder } = createCodecPair();
    for (let w = 0; w < 500; w++) expect(send({ w, h: 7 }).frame).to.deep.equal({ w, h: 7 });
    expect(encoder.allEntries()!.shapes.length).to.be.below(100);
  });

  it("a reader can join at any time, and gets the number of skipped frames", () => {
    const { encoder, send } = createCodecPair();
    send({ tick: 1, phase: "running" });
    const late = new CompactDecoder();
    late.addEntries(encoder.allEntries()!);
    const body = encoder.encode({ tick: 2, phase: "running" });
    expect(encoder.takeNewEntries()).to.equal(null);
    expect(late.decode(encodeFrameMessage(body, 300))).to.deep.equal({ tick: 2, phase: "running", skipped: 300 });
  });

  it("the documented example is correct", () => {
    const text = readFileSync(new URL("../../docs/compact-spectating.md", import.meta.url), "utf8");
    const entries = JSON.parse(/```json\n(.*)\n```/.exec(text)![1]!) as CompactMessage;
    const bytes = (hex: string): Uint8Array => Uint8Array.from(hex.split(" "), (byte) => Number.parseInt(byte, 16));
    const decoder = new CompactDecoder();
    decoder.addEntries(entries);
    const [, broken] = /```\n(01 00 .*)\n```/.exec(text)!;
    expect(() => decoder.decode(bytes(broken!))).to.throw(CompactError, "word 33");
    const [, tooLong] = /With `(01 00 [^`]*)`/.exec(text)!;
    expect(() => decoder.decode(bytes(tooLong!))).to.throw(CompactError, "received more bytes");
    const [, value] = /the value is `([^`]*)`/.exec(text)!;
    expect(JSON.stringify(decoder.decode(bytes(tooLong!.slice(0, -3))))).to.equal(value);
  });

  it("malformed bytes throw a CompactError and no other error", () => {
    const { encoder } = createCodecPair();
    const good = encodeFrameMessage(encoder.encode({ a: [1, "x", 0.5, { b: null }], c: "y" }), 0);
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(good.length), fc.nat(255)), { maxLength: 4 }),
        fc.nat(good.length),
        (flips, cut) => {
          const decoder = new CompactDecoder();
          decoder.addEntries(encoder.allEntries()!);
          const message = Uint8Array.from(good);
          for (const [at, byte] of flips) message[at] = byte;
          try {
            decoder.decode(message.subarray(0, cut));
          } catch (error) {
            expect(error).to.be.instanceOf(CompactError);
          }
        },
      ),
      { numRuns: 2000 },
    );
    const decoder = new CompactDecoder();
    expect(() => decoder.addEntries({ ...encoder.allEntries()!, firstWord: 3 })).to.throw(CompactError, "missing");
    expect(() => decoder.decode(Uint8Array.from([1, 0, ...Array(200).fill(7)]))).to.throw(CompactError, "deep");
    expect(() => decoder.decode(Uint8Array.from([1, 0, 0xff, 0xff, 0xff, 0x7f]))).to.throw(CompactError);
    expect(() => decoder.decode(Uint8Array.from([1, ...Array(9).fill(0x80)]))).to.throw(CompactError, "too long");
  });
});
