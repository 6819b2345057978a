/** Compares a replay with what its player sent and the service acknowledged. */
import { InputBuffer } from "../domain/protocol/input-buffer.ts";
import { advanceInputsDigest, EMPTY_INPUTS_DIGEST } from "../domain/replay/inputs-digest.ts";
import type { Replay, ReplayInput } from "../domain/replay/replay.ts";
import type { ReplayDifference } from "../domain/replay/verify.ts";
import { COMMAND_CODES, type Game, type InputCode } from "../games/game.ts";
import type { SentMessage, Transcript, TranscriptMark } from "./transcript.ts";

type GameInputs = Pick<Game, "inputs">;

const COMMANDS = new Set<number>(Object.values(COMMAND_CODES));

const isSame = (message: InputCode["message"], sent: SentMessage["message"]): boolean =>
  Object.entries(message).every(([field, value]) => sent[field] === value);

/** The code that a replay stores for a message; null if it stores none. */
function toCode({ inputs }: GameInputs, { message }: SentMessage): number | null {
  if (message.t === "cmd") return COMMAND_CODES[message.cmd as keyof typeof COMMAND_CODES] ?? null;
  return inputs.find((input) => isSame(input.message, message))?.code ?? null;
}

/** The replay's seed and rate must be those that both sides had committed to. */
function checkStart(replay: Replay, transcript: Transcript): readonly ReplayDifference[] {
  const { seedCommitment, entropy, sessionId, tickHz } = transcript;
  const facts = [
    ["sessionId", sessionId, replay.sessionId],
    ["seedCommitment", seedCommitment, replay.seedCommitment],
    ["entropy", entropy, replay.entropy],
    ["tickHz", tickHz ?? replay.tickHz, replay.tickHz],
  ] as const;
  return facts.flatMap(([field, expected, received]) =>
    expected === received
      ? []
      : [{ field: `transcript.${field}`, expected: String(expected), received: String(received) }],
  );
}

/** The digest of each frame must match the replay's inputs up to its tick. Commands are recorded one tick later. */
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

/**
 * Whether the service may have released the held input at a tick: the player was disconnected, or the game was paused.
 */
const mayBeReleased = (tick: number, { absences }: Transcript): boolean =>
  absences.some(({ fromTick, toTick }) => fromTick < tick && (toTick === null || tick <= toTick + 1));

/** Inputs of the replay that the player did not send: its codes must be a subsequence of the sent ones. */
function checkSent(inputs: readonly ReplayInput[], transcript: Transcript, game: GameInputs) {
  const codes = transcript.sent.map((sent) => toCode(game, sent));
  const neutral = game.inputs.find(({ message }) => message.t === "input" && message.dir === "none")?.code;
  let from = 0;
  for (const [at, [tick, code]] of inputs.entries()) {
    // The service itself resumes a pause when its budget is used up, and releases the input of a disconnected player.
    if (code === COMMAND_CODES.resume || (code === neutral && mayBeReleased(tick, transcript))) continue;
    const found = codes.indexOf(code, from);
    if (found < 0)
      return [{ field: `transcript.inputs[${at}]`, expected: "an input that was sent", received: `${tick}, ${code}` }];
    from = found + 1;
  }
  return [];
}

/**
 * The inputs between two frames: those without a tick, then those of each tick that has some, then again those without.
 */
function groupByTick(inputs: readonly ReplayInput[], previousTick: number, tick: number) {
  const groups: { readonly tick: number; readonly codes: readonly number[] }[] = [];
  let last = previousTick;
  const between = inputs.filter(([at, code]) => previousTick < at && at <= tick && !COMMANDS.has(code));
  for (const at of new Set(between.map(([inputTick]) => inputTick))) {
    if (at > last + 1) groups.push({ tick: last + 1, codes: [] });
    groups.push({ tick: at, codes: between.filter(([inputTick]) => inputTick === at).map(([, code]) => code) });
    last = at;
  }
  if (last < tick) groups.push({ tick: last + 1, codes: [] });
  return groups;
}

/** Whether the messages give the replay's inputs between two frames, in whichever ticks they were applied. */
function isExplained(
  inputs: readonly ReplayInput[],
  messages: readonly InputCode["message"][],
  { previousTick, tick }: { readonly previousTick: number; readonly tick: number },
  game: GameInputs,
): boolean {
  let applied = new Set([0]);
  for (const group of groupByTick(inputs, previousTick, tick)) {
    const earlier = inputs.filter(([inputTick]) => inputTick < group.tick);
    const next = new Set<number>();
    for (const start of applied) {
      for (let end = start; end <= messages.length; end += 1) {
        const buffer = new InputBuffer(game, earlier);
        for (const message of messages.slice(start, end)) buffer.add(message);
        if (buffer.drain().join() === group.codes.join()) next.add(end);
      }
    }
    applied = next;
  }
  return applied.has(messages.length);
}

/**
 * Finds missing inputs: between the ticks of two frames, the replay must have exactly the acknowledged inputs. The
 * first step after a lost socket is skipped, because it may apply earlier messages or a release.
 */
function checkAcknowledged(
  inputs: readonly ReplayInput[],
  { sent, marks, rewinds, absences }: Transcript,
  game: GameInputs,
): readonly ReplayDifference[] {
  let applied = 0;
  for (const [at, { tick, previousTick, ackSeq }] of marks.entries()) {
    // Inputs sent before the service went back, and not acknowledged by a remaining mark, may be lost.
    for (const rewind of rewinds) if (at >= rewind.marks) applied = Math.max(applied, rewind.sent);
    const end = sent.findLastIndex(({ seq }) => seq === ackSeq) + 1;
    const isFirstStep = absences.some(
      ({ toTick }) => toTick !== null && toTick < tick && (previousTick ?? -1) <= toTick,
    );
    for (const { toTick, sent: older } of absences)
      if (toTick !== null && toTick < (previousTick ?? -1)) applied = Math.max(applied, older);
    const messages = sent.slice(applied, end).flatMap(({ message }) => (message.t === "cmd" ? [] : [message]));
    const isNew = end > applied;
    applied = Math.max(applied, end);
    if (!isNew || previousTick === null || isFirstStep) continue;
    const range = { previousTick, tick };
    if (isExplained(inputs, messages as InputCode["message"][], range, game)) continue;
    const field = `transcript.inputs at tick ${tick}`;
    const received = groupByTick(inputs, previousTick, tick).flatMap(({ codes }) => codes);
    const expected = messages.map((message) => toCode(game, { seq: 0, message }));
    return [{ field, expected: `what was sent: ${expected.join()}`, received: received.join() }];
  }
  return [];
}

/** What differs; an empty list if the replay has exactly what was sent and acknowledged. */
export function checkTranscript(replay: Replay, transcript: Transcript, game: GameInputs): readonly ReplayDifference[] {
  const { inputs } = replay;
  return [
    ...checkStart(replay, transcript),
    ...checkDigests(inputs, transcript.marks),
    ...(transcript.isPartial
      ? []
      : [...checkSent(inputs, transcript, game), ...checkAcknowledged(inputs, transcript, game)]),
  ];
}
