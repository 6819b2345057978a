/** The process of one policy, started by `policy-process.ts`. JSON lines come in and go out. */
import { constants, setPriority } from "node:os";
import type { Hex } from "viem";
import { playPolicy, type Run } from "../../../domain/league/course.ts";
import type { LoadedPolicy } from "../../../domain/league/engine.ts";
import { PolicyFault } from "../../../domain/league/policy-fault.ts";
import { findGame } from "../../../games/index.ts";
import { openEngine } from "./engine-file.ts";

export interface CourseRequest {
  readonly slug: string;
  readonly seeds: readonly Hex[];
  readonly tickHz: number;
  readonly ticksMax: number;
}

export type ChildCommand = { readonly id: number } & (
  | { readonly command: "load"; readonly text: string }
  | { readonly command: "move"; readonly frame: string }
  | ({ readonly command: "play" } & CourseRequest)
);

export interface ChildFault {
  readonly kind: PolicyFault["kind"];
  readonly text: string;
  readonly line: number | null;
  readonly column: number | null;
}

export interface ChildAnswer {
  readonly id: number;
  readonly isDone: boolean;
  readonly fault?: ChildFault;
  readonly move?: string;
  readonly run?: Run;
}

/** How often a course that runs is reported, so that a tick which does not end is seen. */
const REPORT_MS = 50;

const engine = openEngine();
let text = "";
let loaded: LoadedPolicy | null = null;

const send = (answer: ChildAnswer): Promise<void> =>
  new Promise((resolve) => process.stdout.write(`${JSON.stringify(answer)}\n`, () => resolve()));

async function play(id: number, { slug, seeds, ...options }: CourseRequest): Promise<void> {
  const game = findGame(slug)!;
  let reportedMs = performance.now();
  const onTick = (): void => {
    if (performance.now() - reportedMs < REPORT_MS) return;
    reportedMs = performance.now();
    void send({ id, isDone: false });
  };
  for (const seed of seeds)
    await send({ id, isDone: false, run: await playPolicy(engine, text, { game, seed, ...options, onTick }) });
}

async function run(message: ChildCommand): Promise<Omit<ChildAnswer, "id" | "isDone">> {
  if (message.command === "load") {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
    ({ text } = message);
    loaded = await engine.load(text, [1, 2, 3, 4]);
  } else if (message.command === "move") return { move: loaded!.move(message.frame) };
  else await play(message.id, message);
  return {};
}

async function answer(message: ChildCommand): Promise<void> {
  const { id } = message;
  try {
    await send({ id, isDone: true, ...(await run(message)) });
  } catch (error) {
    if (!(error instanceof PolicyFault)) throw error;
    const { kind, line, column } = error;
    await send({ id, isDone: true, fault: { kind, text: error.message, line, column } });
  }
}

let pending = "";
process.stdin.setEncoding("utf8");
process.stdin.on("data", (chunk: string) => {
  const lines = (pending + chunk).split("\n");
  pending = lines.pop()!;
  for (const line of lines) void answer(JSON.parse(line) as ChildCommand);
});
process.stdin.on("end", () => process.exit());
