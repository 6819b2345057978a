/**
 * Runs a policy in QuickJS, compiled to WebAssembly. The same text, seed and frames give the same moves and spend the same
 * fuel on every machine: each run gets an instance with fresh memory, without a clock and without randomness.
 */
import variant from "@jitl/quickjs-wasmfile-release-sync";
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSHandle,
  type QuickJSSyncVariant,
} from "quickjs-emscripten-core";
import { PolicyFault } from "./policy-fault.ts";
import { checkPolicyText, POLICY_BOUNDS } from "./policy-text.ts";
import { PRELUDE } from "./prelude.ts";

/** QuickJS calls the interrupt handler after this many calls and backward jumps. */
const FUEL_PER_INTERRUPT = 10_000;

const INTRINSICS = { BaseObjects: true, Eval: true, JSON: true, MapSet: true, Promise: true } as const;

export interface LoadedPolicy {
  /** The fuel that was spent so far, with the loading. */
  readonly fuel: number;
  /** The policy's move for a frame as JSON text. Throws `PolicyFault`. */
  move(frameText: string): string;
}

export interface Engine {
  /** Loads a policy for one run; `words` seed its `Math.random`. Throws `PolicyFault`. */
  load(text: string, words: readonly number[]): Promise<LoadedPolicy>;
}

/** @param wasm the compiled engine: `emscripten-module.wasm` of the variant's package */
export function createEngine(wasm: WebAssembly.Module): Engine {
  const loadable = newVariant(variant as unknown as QuickJSSyncVariant, { wasmModule: wasm });
  return {
    load: (text, words) =>
      Promise.resolve(text)
        .then(checkPolicyText)
        .then(() => newQuickJSWASMModuleFromVariant(loadable))
        .then((quickjs) => loadPolicy(quickjs, text, words)),
  };
}

type QuickJs = Awaited<ReturnType<typeof newQuickJSWASMModuleFromVariant>>;

function loadPolicy(quickjs: QuickJs, text: string, words: readonly number[]): LoadedPolicy {
  const runtime = quickjs.newRuntime();
  // It bounds one allocation: the engine does not know how much it has in use.
  runtime.setMemoryLimit(POLICY_BOUNDS.allocationBytes);
  runtime.setMaxStackSize(POLICY_BOUNDS.stackBytes);
  const context = runtime.newContext({ intrinsics: INTRINSICS });
  let interrupts = 0;
  let interruptsMax = POLICY_BOUNDS.loadFuel / FUEL_PER_INTERRUPT;
  let fuel = 0;
  const isFull = (): boolean => quickjs.getWasmMemory().buffer.byteLength > POLICY_BOUNDS.memoryBytes;
  runtime.setInterruptHandler(() => ++interrupts > interruptsMax || isFull());

  const fail = (handle: QuickJSHandle, kind: "load" | "move"): never => {
    if (isFull()) throw new PolicyFault("memory", `more than ${POLICY_BOUNDS.memoryBytes / 1024 / 1024} MB of memory`);
    const isOut = interrupts > interruptsMax;
    if (isOut)
      throw new PolicyFault(
        "fuel",
        `more than ${kind === "load" ? POLICY_BOUNDS.loadFuel : POLICY_BOUNDS.tickFuel} units of fuel`,
      );
    // Reading the error may run the policy's getters.
    interruptsMax = interrupts + 1;
    const read = (name: string): string => {
      const value = context.getProp(handle, name);
      return context.typeof(value) === "string" ? context.getString(value) : "";
    };
    const isObject = context.typeof(handle) === "object";
    const message = isObject ? read("message") : context.typeof(handle) === "string" ? context.getString(handle) : "";
    throw PolicyFault.fromError(isObject ? read("name") : "", message, isObject ? read("stack") : "");
  };
  // Should the machine's own stack end first, the policy cannot catch it.
  const run = <Value>(work: () => Value): Value => {
    try {
      return work();
    } catch (error) {
      if (error instanceof RangeError) throw new PolicyFault("stack", "stack overflow");
      throw error;
    }
  };
  const unwrap = (result: ReturnType<typeof context.evalCode>, kind: "load" | "move"): QuickJSHandle =>
    result.error === undefined ? result.value : fail(result.error, kind);

  const prelude = unwrap(context.evalCode(PRELUDE, "prelude.js"), "load");
  const seed = unwrap(context.evalCode(JSON.stringify(words.map((word) => word | 0))), "load");
  const lengths = [POLICY_BOUNDS.nativeLength, POLICY_BOUNDS.tickFuel].map((value) => context.newNumber(value));
  const harness = unwrap(context.callFunction(prelude, context.undefined, ...lengths, seed), "load");
  const method = (name: string): QuickJSHandle => context.getProp(harness, name);
  const [install, tick, work] = ["install", "tick", "work"].map(method) as [
    QuickJSHandle,
    QuickJSHandle,
    QuickJSHandle,
  ];
  const readWork = (): number => {
    const value = unwrap(context.callFunction(work, context.undefined), "move");
    return context.getNumber(value);
  };
  const spend = (): void => {
    fuel += interrupts * FUEL_PER_INTERRUPT + readWork();
    interrupts = 0;
  };

  const value = unwrap(
    run(() => context.evalCode(text, "policy.js")),
    "load",
  );
  const declared = unwrap(context.evalCode("typeof policy === 'undefined' ? null : policy"), "load");
  const isFunction = context.dump(unwrap(context.callFunction(install, context.undefined, value, declared), "load"));
  if (isFunction !== true) throw PolicyFault.withoutEntry();
  spend();
  interruptsMax = POLICY_BOUNDS.tickFuel / FUEL_PER_INTERRUPT;

  return {
    get fuel() {
      return fuel;
    },
    move(frameText) {
      const frame = context.newString(frameText);
      const answer = run(() => context.callFunction(tick, context.undefined, frame));
      frame.dispose();
      const handle = unwrap(answer, "move");
      spend();
      if (isFull()) fail(handle, "move");
      const move = context.getString(handle);
      handle.dispose();
      if (move.length > POLICY_BOUNDS.moveCharacters)
        throw new PolicyFault(
          "move",
          `a move of ${move.length} characters; at most ${POLICY_BOUNDS.moveCharacters} are read`,
        );
      return move;
    },
  };
}
