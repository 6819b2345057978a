/** P11: compact frames beside the same frames as JSON: bytes over a whole run, and the CPU to encode a frame. */

import { CompactDecoder } from "../../../client/compact.ts";
import { CompactEncoder, encodeFrameMessage } from "../../../domain/protocol/compact-encode.ts";
import type { FrameBody } from "../../../domain/protocol/messages.ts";
import type { Game, PlayFrame } from "../../../games/game.ts";
import { games } from "../../../games/index.ts";
import { toInputCodes, toPlayFrame, toSeed } from "../../../scripts/evaluate/play.ts";
import { createIdleOperation, createOperationSide } from "../compare/operations.ts";
import type { Options, Row, Side } from "../compare/types.ts";
import { findMissing } from "../compare/work.ts";
import { makeSession } from "./side.ts";

const OURS = "compact";
/** Frames of one session, whose encoding is measured. */
const FRAMES = 2000;

interface Codec {
  /** Returns the bytes of the frame and what the spectator reads from them. */
  send(frame: PlayFrame): { readonly bytes: number; readonly read: unknown };
}

function createCompactCodec(): Codec {
  const encoder = new CompactEncoder();
  const decoder = new CompactDecoder();
  return {
    send: (frame) => {
      const message = encodeFrameMessage(encoder.encode(frame), 0);
      const entries = encoder.takeNewEntries();
      if (entries !== null) decoder.addEntries(entries);
      const entriesBytes = entries === null ? 0 : Buffer.byteLength(JSON.stringify(entries));
      return { bytes: message.length + entriesBytes, read: decoder.decode(message) };
    },
  };
}

const createJsonCodec = (): Codec => ({
  send: (frame) => {
    const text = JSON.stringify({ t: "frame", frame });
    return { bytes: Buffer.byteLength(text), read: (JSON.parse(text) as { frame: unknown }).frame };
  },
});

/** Each round is a run with another seed. The spectator must decode every frame exactly. */
const createCodecSide = (name: string, game: Game, createCodec: () => Codec): Side => ({
  name,
  runRound: async (round) => {
    const bot = game.bots.reference();
    const state = game.init(toSeed(round + 1), game.tickHz);
    const codec = createCodec();
    let bytes = 0;
    let frames = 0;
    let right = 0;
    while (!state.over) {
      const frame = toPlayFrame(game, state);
      const sent = codec.send(frame);
      bytes += sent.bytes;
      frames += 1;
      if (JSON.stringify(sent.read) === JSON.stringify(frame)) right += 1;
      game.step(state, toInputCodes(game, bot(frame)));
    }
    return { value: bytes / frames, missing: findMissing([{ what: "frames read", done: right, expected: frames }]) };
  },
});

const createBytesRow = (game: Game, rounds: number): Row => ({
  id: "P11",
  what: `whole runs of ${game.slug}, dictionaries included`,
  rounds,
  figure: { name: "bytes of a frame", unit: "bytes", better: "lower" },
  sides: [createCodecSide(OURS, game, createCompactCodec), createCodecSide("JSON", game, createJsonCodec)],
  idle: createCodecSide("idle", game, () => ({ send: () => ({ bytes: 1, read: null }) })),
  bars: [],
});

function createEncodingRow(rounds: number): Row {
  const next = makeSession(1, 20);
  const frames = Array.from({ length: FRAMES }, () => (next() as { readonly frame: FrameBody }).frame);
  const getFrame = (n: number): FrameBody => frames[n % FRAMES]!;
  const encoder = new CompactEncoder();
  const isRightCompact = (n: number, message: Uint8Array): boolean => {
    if (message === undefined) return false;
    const decoder = new CompactDecoder();
    const entries = encoder.allEntries();
    if (entries !== null) decoder.addEntries(entries);
    return JSON.stringify(decoder.decode(message)) === JSON.stringify(getFrame(n));
  };
  return {
    id: "P11",
    what: "encoding, once a tick for all spectators",
    rounds,
    figure: { name: "CPU for each frame", unit: "us", better: "lower" },
    sides: [
      createOperationSide({
        name: OURS,
        operate: (n) => encodeFrameMessage(encoder.encode(getFrame(n)), 0),
        isRight: isRightCompact,
      }),
      createOperationSide({
        name: "JSON.stringify",
        operate: (n) => JSON.stringify(getFrame(n)),
        isRight: (n, text) => JSON.stringify(JSON.parse(text)) === JSON.stringify(getFrame(n)),
      }),
    ],
    idle: createIdleOperation(isRightCompact),
    bars: [],
  };
}

export const createCompactRows = ({ isQuick }: Options): readonly Row[] => [
  ...games.map((game) => createBytesRow(game, isQuick ? 1 : 3)),
  createEncodingRow(isQuick ? 3 : 9),
];
