/** Reads `/skill.md` like a program that knows only its text: finds steps, values and moves by their form. */

import type { Instructions } from "../../client/api.ts";
import type { Bot, PlayFrame } from "../../games/game.ts";

type Step = Instructions["steps"][number];

const match = (text: string, pattern: RegExp): string => {
  const found = pattern.exec(text)?.[1];
  if (found === undefined) throw new Error(`the text has no ${pattern}`);
  return found;
};

/** A line is one act of the wallet. */
function readAct(line: string): Step["acts"][number] {
  const [, called, hash] = /the call of `(\w+)`.*hash is `\{(\w+)\}`/.exec(line) ?? [];
  if (called !== undefined) return { act: "send_call", field: called, keeps: hash! };
  const [, text, signature] = /Sign the text of `(\w+)`; the signature is `\{(\w+)\}`/.exec(line) ?? [];
  if (text !== undefined) return { act: "sign_message", field: text, keeps: signature! };
  if (line.includes("Open the WebSocket and play")) return { act: "play" };
  throw new Error(`the text has an act that this reader does not know: ${line}`);
}

const REQUEST = /^`(GET|POST) (\S+?)(?: (\{.*\}))?`( with the token)?$/m;
const KEEPS = /^Keep (.*)\.$/m;
/** The other parts of a step: the request, the example frame with its introduction, and the values to keep. */
const OTHER_LINES = [REQUEST, /^A frame\b/, /^```/, /^\{/, KEEPS];

/** The acts of a step are the lines after its title and sentence that are not one of the other parts. */
function readActs(text: string): Step["acts"] {
  const lines = text.split("\n").slice(2);
  return lines.filter((line) => line !== "" && !OTHER_LINES.some((other) => other.test(line))).map(readAct);
}

function readStep(text: string, index: number): Step {
  const [, method, path, body, token] = REQUEST.exec(text) ?? [];
  const kept = KEEPS.exec(text)?.[1] ?? "";
  return {
    step: index + 1,
    namespace: "games",
    title: match(text, /^\d+\. (.*)$/m),
    sentence: "",
    request:
      method === undefined
        ? null
        : {
            method: method as "GET" | "POST",
            path: path!,
            auth: token === undefined ? null : "Authorization: Bearer {accessToken}",
            ...(body === undefined ? {} : { body: JSON.parse(body) as object as Record<string, never> }),
          },
    response: null,
    keeps: Object.fromEntries([...kept.matchAll(/`\{(\w+)\}` = `(\w+)`/g)].map(([, name, field]) => [name!, field!])),
    acts: readActs(text),
  };
}

/** Reads what the instructed agent needs from the text. */
export function readSkill(text: string) {
  const [stepsText = ""] = text.split(/^More: /m);
  const steps = stepsText.split(/^### /m).slice(1).map(readStep);
  const instructions = {
    baseUrl: match(text, /^HTTP (\S+),/m),
    rpcUrl: match(text, /RPC (\S+)\. /),
    steps,
  } as unknown as Instructions;
  const slug = match(text, /^- `(\w+)`:/m);
  const moves = [...match(text, /^- `\w+`:.* Send (.*?)\. NFT/m).matchAll(/`(\{.*?\})`/g)].map(
    ([, json]) => JSON.parse(json!) as { readonly dir?: string },
  );
  const frame = (JSON.parse(match(text, /^```json\n(.*)\n```$/m)) as { readonly frame: PlayFrame }).frame;
  return { instructions, slug, moves, frame };
}

/** Steers by the fields that the example frame shows: to the nearest way through the next row of obstacles. */
export function createSkillBot(moves: readonly { readonly dir?: string }[]): Bot {
  const move = (dir: string) => moves.find((each) => each.dir === dir) as ReturnType<Bot>;
  return ({ pawn, entities }) => {
    const ahead = entities.filter(({ class: kind, y }) => kind === "obstacle" && y < pawn.y + pawn.h);
    const rowY = Math.max(...ahead.map(({ y }) => y));
    const row = ahead.filter(({ y }) => y === rowY);
    const isFree = (to: number) => row.every(({ x, w }) => Math.abs(x - to) > (w + pawn.w) / 2 + 8);
    const ways = Array.from({ length: 45 }, (_, index) => 20 + 10 * index).filter(isFree);
    const towards = ways.sort((a, b) => Math.abs(a - pawn.x) - Math.abs(b - pawn.x))[0];
    if (towards === undefined || Math.abs(towards - pawn.x) < 8) return move("none");
    return move(towards < pawn.x ? "left" : "right");
  };
}
