/** Explains messages that a channel rejects: what it accepts, and what was received. */
import { hideTokens, quoteReceived } from "../../domain/errors.ts";
import type { ChannelRole } from "../../domain/protocol/rules.ts";
import { findGame } from "../../games/index.ts";

const SHOWN_CHARACTERS = 120;

interface Problem {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** What a client sent, shortened; text that is not JSON is quoted. */
function describeReceived(text: string, value: unknown, problems: readonly Problem[]): string {
  if (value === undefined) return `${quoteReceived(text)}, which is not JSON`;
  const shown = hideTokens(text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text);
  const [first] = problems;
  if (first === undefined) return shown;
  return `${shown} (${[...first.path, first.message].map(String).join(": ")})`;
}

/** Every message that a joined socket may send. */
function listAllowed(role: ChannelRole, slug: string): string {
  if (role === "spectate") return 'A spectator may send {"t":"ping"}';
  const inputs = findGame(slug)?.inputs.map(({ message }) => JSON.stringify(message)) ?? [];
  const commands = '{"t":"cmd","cmd":"pause"}, "resume" or "exit", and {"t":"ping"}';
  return `${slug} takes ${[...inputs, commands].join(", ")}`;
}

/** `value`: the parsed text, undefined if it is not JSON. */
export const explainBadMessage = (
  { text, value, problems }: { readonly text: string; readonly value: unknown; readonly problems: readonly Problem[] },
  role: ChannelRole,
  slug: string,
): string => `${listAllowed(role, slug)}; received ${describeReceived(text, value, problems)}.`;

export const explainBadAuth = (text: string, value: unknown, problems: readonly Problem[], role: ChannelRole): string =>
  `Expected {"t":"auth","token":"${role === "play" ? "ap" : "as"}_…"} as the first message; received ${describeReceived(text, value, problems)}.`;
