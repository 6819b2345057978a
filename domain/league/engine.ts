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
  /** The fuel used so far, including loading. */
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

type Context = ReturnType<ReturnType<QuickJs["newRuntime"]>["newContext"]>;
type Stage = "load" | "move";

const FUEL: { readonly [stage in Stage]: number } = { load: POLICY_BOUNDS.loadFuel, move: POLICY_BOUNDS.tickFuel };

/** An instance of the engine that counts what runs in it. */
class Interpreter {
  readonly #quickjs: QuickJs;
  readonly context: Context;
  #stage: Stage = "load";
  #interrupts = 0;
  /** The fuel and memory left to read a policy's error. */
  #extra = 0;

  constructor(quickjs: QuickJs) {
    this.#quickjs = quickjs;
    const runtime = quickjs.newRuntime();
    // Limits one allocation: the engine does not know its total use.
    runtime.setMemoryLimit(POLICY_BOUNDS.allocationBytes);
    runtime.setMaxStackSize(POLICY_BOUNDS.stackBytes);
    this.context = runtime.newContext({ intrinsics: INTRINSICS });
    runtime.setInterruptHandler(() => {
      this.#interrupts += 1;
      return this.#interrupts > this.#interruptsMax + this.#extra || this.isFull;
    });
  }

  get #interruptsMax(): number {
    return FUEL[this.#stage] / FUEL_PER_INTERRUPT;
  }

  get isFull(): boolean {
    return this.#quickjs.getWasmMemory().buffer.byteLength > POLICY_BOUNDS.memoryBytes;
  }

  /** The fuel since the last call; from now on it counts for ticks. */
  takeFuel(): number {
    const fuel = this.#interrupts * FUEL_PER_INTERRUPT;
    this.#interrupts = 0;
    this.#stage = "move";
    return fuel;
  }

  evaluate(text: string, file?: string): QuickJSHandle {
    return this.#unwrap(() => this.context.evalCode(text, file));
  }

  call(method: QuickJSHandle, ...values: readonly QuickJSHandle[]): QuickJSHandle {
    return this.#unwrap(() => this.context.callFunction(method, this.context.undefined, ...values));
  }

  #unwrap(work: () => ReturnType<Context["evalCode"]>): QuickJSHandle {
    try {
      const result = work();
      return result.error === undefined ? result.value : this.#fail(result.error);
    } catch (error) {
      // If the machine's own stack ends first, the policy cannot catch the error.
      if (error instanceof RangeError) throw new PolicyFault("stack", "stack overflow");
      throw error;
    }
  }

  checkMemory(): void {
    if (this.isFull)
      throw new PolicyFault("memory", `more than ${POLICY_BOUNDS.memoryBytes / 1024 / 1024} MB of memory`);
  }

  #fail(handle: QuickJSHandle): never {
    this.checkMemory();
    if (this.#interrupts > this.#interruptsMax)
      throw new PolicyFault("fuel", `more than ${FUEL[this.#stage]} units of fuel`);
    // Reading the error may run the policy's getters.
    this.#extra = this.#interrupts + 1 - this.#interruptsMax;
    const { context } = this;
    const readText = (value: QuickJSHandle): string =>
      context.typeof(value) === "string" ? context.getString(value) : "";
    if (context.typeof(handle) !== "object") throw PolicyFault.fromError("", readText(handle), "");
    const [name, message, stack] = ["name", "message", "stack"].map((key) => readText(context.getProp(handle, key)));
    throw PolicyFault.fromError(name!, message!, stack!);
  }
}

function evaluatePolicy(interpreter: Interpreter, text: string): QuickJSHandle {
  try {
    return interpreter.evaluate(text, "policy.js");
  } catch (error) {
    if (!(error instanceof PolicyFault && error.kind === "text" && /^[ \t]*(?:```|~~~)/m.test(text))) throw error;
    const { message, line, column } = error;
    const place = line === null ? null : { line, column: column ?? 1 };
    throw new PolicyFault("text", `${message}; send the JavaScript only, without Markdown`, place);
  }
}

function loadPolicy(quickjs: QuickJs, text: string, words: readonly number[]): LoadedPolicy {
  const interpreter = new Interpreter(quickjs);
  const { context } = interpreter;
  const lengths = [POLICY_BOUNDS.nativeLength, POLICY_BOUNDS.tickFuel].map((value) => context.newNumber(value));
  const seed = interpreter.evaluate(JSON.stringify(words.map((word) => word | 0)));
  const harness = interpreter.call(interpreter.evaluate(PRELUDE, "prelude.js"), ...lengths, seed);
  const [install, tick, work] = ["install", "tick", "work"].map((name) => context.getProp(harness, name));
  let fuel = 0;
  const spend = (): void => {
    fuel += interpreter.takeFuel() + context.getNumber(interpreter.call(work!));
  };

  const value = evaluatePolicy(interpreter, text);
  const declared = interpreter.evaluate("typeof policy === 'undefined' ? null : policy");
  if (context.dump(interpreter.call(install!, value, declared)) !== true) throw PolicyFault.withoutEntry();
  spend();
  return {
    get fuel() {
      return fuel;
    },
    move(frameText) {
      const frame = context.newString(frameText);
      const handle = interpreter.call(tick!, frame);
      frame.dispose();
      spend();
      interpreter.checkMemory();
      const move = context.getString(handle);
      handle.dispose();
      const { moveCharacters } = POLICY_BOUNDS;
      if (move.length > moveCharacters)
        throw new PolicyFault("move", `a move of ${move.length} characters; at most ${moveCharacters} are read`);
      return move;
    },
  };
}
