/** Compares a replay with what its player sent and with what the service acknowledged meanwhile. */
import { InputBuffer } from "../backend/domain/protocol/input-buffer.ts";
import { advanceInputsDigest, EMPTY_INPUTS_DIGEST } from "../backend/domain/replay/inputs-digest.ts";
import type { Replay, ReplayInput } from "../backend/domain/replay/replay.ts";
import type { ReplayDifference } from "../backend/domain/replay/verify.ts";
import { COMMAND_CODES, type Game, type InputCode } from "../backend/games/game.ts";
import type { SentMessage, Transcript, TranscriptMark } from "./transcript.ts";

type GameInputs = Pick<Game, "inputs">;

const COMMANDS = new Set<number>(Object.values(COMMAND_CODES));

const isSame = (message: InputCode["message"], sent: SentMessage["message"]): boolean =>
  Object.entries(message).every(([field, value]) => sent[field] === value);

/** The code that a replay stores for a message; null for one that it does not store. */
function toCode({ inputs }: GameInputs, { message }: SentMessage): number | null {
  if (message.t === "cmd") return COMMAND_CODES[message.cmd as keyof typeof COMMAND_CODES] ?? null;
  return inputs.find((input) => isSame(input.message, message))?.code ?? null;
}

/** The replay's seed must come from the parts that both sides had named before. */
function checkSeed(replay: Replay, { seedCommitment, entropy, sessionId }: Transcript): readonly ReplayDifference[] {
  const facts = [
    ["sessionId", sessionId, replay.sessionId],
    ["seedCommitment", seedCommitment, replay.seedCommitment],
    ["entropy", entropy, replay.entropy],
  ] as const;
  return facts.flatMap(([field, expected, received]) =>
    expected === received
      ? []
      : [{ field: `transcript.${field}`, expected: String(expected), received: String(received) }],
  );
}

/** Each digest in a frame must be that of the replay's inputs up to the frame's tick; commands stand one tick later. */
function checkDigests(inputs: readonly ReplayInput[], marks: readonly TranscriptMark[]): readonly ReplayDifference[] {
  let count = 0;
  let digest = EMPTY_INPUTS_DIGEST;
  for (const { tick, inputsDigest } of marks) {
    const mayAdd = (): boolean => {
      const input = inputs[count];
      return input !== undefined && (input[0] <= tick || (input[0] === tick + 1 && COMMANDS.has(input[1])));
    };
    while (mayAdd() && (digest !== inputsDigest || inputs[count]![0] <= tick)) {
      digest = advanceInputsDigest(digest, inputs[count]!);
      count += 1;
    }
    if (digest !== inputsDigest)
      return [{ field: `transcript.inputsDigest at tick ${tick}`, expected: digest, received: inputsDigest }];
  }
  return [];
}

/** Inputs that the player did not send: the replay's codes are some of the sent ones, in their order. */
function checkSent(inputs: readonly ReplayInput[], codes: readonly (number | null)[], game: GameInputs) {
  const neutral = game.inputs.find(({ message }) => message.t === "input" && message.dir === "none")?.code;
  let from = 0;
  for (const [at, [tick, code]] of inputs.entries()) {
    const found = codes.indexOf(code, from);
    if (found >= 0) from = found + 1;
    // The service itself resumes a pause whose budget is spent, and releases the input of a player that has gone.
    else if (code !== COMMAND_CODES.resume && code !== neutral)
      return [{ field: `transcript.inputs[${at}]`, expected: "an input that was sent", received: `${tick}, ${code}` }];
  }
  return [];
}

/** Inputs that are missing: what was acknowledged between two frames stands in the replay at that tick. */
function checkAcknowledged(
  inputs: readonly ReplayInput[],
  { sent, marks, rewinds = [] }: Transcript,
  game: GameInputs,
): readonly ReplayDifference[] {
  let applied = 0;
  for (const [at, { tick, previousTick, ackSeq }] of marks.entries()) {
    // What was sent before the service went back, and is not acknowledged by what is left, may be lost.
    for (const rewind of rewinds) if (at >= rewind.marks) applied = Math.max(applied, rewind.sent);
    const end = sent.findLastIndex(({ seq }) => seq === ackSeq) + 1;
    const messages = sent.slice(applied, end);
    applied = Math.max(applied, end);
    if (messages.length === 0 || previousTick !== tick - 1) continue;
    const buffer = new InputBuffer(
      game,
      inputs.filter(([inputTick]) => inputTick < tick),
    );
    for (const { message } of messages) if (message.t !== "cmd") buffer.add(message as InputCode["message"]);
    const expected = buffer.drain().join();
    const received = inputs
      .filter(([inputTick, code]) => inputTick === tick && !COMMANDS.has(code))
      .map(([, code]) => code)
      .join();
    if (expected !== received) return [{ field: `transcript.inputs at tick ${tick}`, expected, received }];
  }
  return [];
}

/** What differs; an empty list where the replay holds exactly what was sent and acknowledged. */
export function checkTranscript(replay: Replay, transcript: Transcript, game: GameInputs): readonly ReplayDifference[] {
  const { inputs } = replay;
  const codes = transcript.sent.map((sent) => toCode(game, sent));
  return [
    ...checkSeed(replay, transcript),
    ...checkDigests(inputs, transcript.marks),
    ...(transcript.isPartial
      ? []
      : [...checkSent(inputs, codes, game), ...checkAcknowledged(inputs, transcript, game)]),
  ];
}
