"use strict";
// The program of a sandbox process (`process.ts` starts it): one policy in a context of its own. It is given as text,
// since Node's permission model leaves this process no file to read. JSON lines come in and go out.
const vm = require("node:vm");
const net = require("node:net");
const dgram = require("node:dgram");

const MOVE_CHARACTERS_MAX = 256;
const REPORT_MS = 50;
/** Memory outside the heap, where the limit of the heap does not count, and code that is not JavaScript. */
const REMOVED = [
  ...["ArrayBuffer", "SharedArrayBuffer", "DataView", "Atomics", "WebAssembly"],
  ...["Int8Array", "Uint8Array", "Uint8ClampedArray", "Int16Array", "Uint16Array", "Int32Array", "Uint32Array"],
  ...["Float16Array", "Float32Array", "Float64Array", "BigInt64Array", "BigUint64Array"],
];

const { stdin, stdout } = process;
const send = (message) => stdout.write(`${JSON.stringify(message)}\n`);
const cpuMs = () => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

/** The permission model has no switch for the network: what opens a socket is removed, should a policy get here. */
function removeNetwork() {
  const refuse = () => {
    throw new Error("a policy has no network");
  };
  for (const prototype of [net.Socket.prototype, net.Server.prototype, dgram.Socket.prototype])
    for (const name of ["connect", "listen", "bind", "send"])
      Object.defineProperty(prototype, name, { value: refuse, writable: false, configurable: false });
  for (const name of ["kill", "abort", "getBuiltinModule", "binding", "_linkedBinding", "dlopen", "execve"])
    Object.defineProperty(process, name, { value: refuse, writable: false, configurable: false });
  for (const name of ["fetch", "WebSocket", "EventSource", "WebAssembly", "require", "module"]) delete globalThis[name];
}

removeNetwork();
// A policy's promise that fails is the policy's own matter.
process.on("unhandledRejection", () => {});
const context = vm.createContext(vm.constants.DONT_CONTEXTIFY, { codeGeneration: { strings: false, wasm: false } });
let harness = null;
let tickBudgetMs = 0;

/** Only text leaves the context. */
function readText(value, max) {
  if (typeof value === "string" && value.length <= max) return JSON.parse(value);
  return { error: `expected at most ${max} characters`, line: null };
}

function load({ bundle, policy, budgetMs }) {
  tickBudgetMs = budgetMs;
  const names = REMOVED.join(", ");
  const text = `"use strict"; (${names}) => { ${bundle}\nreturn harness; }`;
  const globals = vm.runInContext(`[${REMOVED.map((name) => `globalThis.${name}`).join(", ")}]`, context);
  harness = vm.runInContext(text, context)(...globals);
  for (const name of REMOVED) vm.runInContext(`delete globalThis.${name}`, context);
  let script;
  try {
    script = new vm.Script(policy, { filename: "policy.js" });
  } catch (error) {
    const line = /policy\.js:(\d+)/.exec(error.stack)?.[1];
    return { error: error.message, line: line === undefined ? null : Number(line) };
  }
  try {
    const value = script.runInContext(context);
    const declared = vm.runInContext("typeof policy === 'undefined' ? null : policy", context);
    return harness.install(value, declared) === true ? {} : { error: "the text gives no function", line: null };
  } catch (error) {
    return readText(harness.describe(error), 2000);
  }
}

/** The move of one frame; a move that took longer than the budget is late and does not count. */
function tick({ frame }) {
  const startedMs = cpuMs();
  const answer = readText(harness.tick(frame), MOVE_CHARACTERS_MAX + 400);
  if (answer.error !== undefined) return answer;
  if (JSON.stringify(answer.move).length > MOVE_CHARACTERS_MAX)
    return { error: `expected a move of at most ${MOVE_CHARACTERS_MAX} characters`, line: null };
  const usedMs = cpuMs() - startedMs;
  return usedMs > tickBudgetMs ? { move: null, isLate: true } : { move: answer.move, isLate: false };
}

/** Plays one seed after the other; reports now and then, so that a policy that hangs is seen. */
function simulate({ slug, seeds, ticksMax }, report) {
  const runs = [];
  let reportedMs = performance.now();
  for (const seed of seeds) {
    const startedMs = cpuMs();
    const run = readText(harness.simulate(slug, seed, ticksMax), 2000);
    runs.push(run);
    if (run.error !== undefined) break;
    const averageMs = (cpuMs() - startedMs) / Math.max(1, run.ticks);
    if (averageMs > tickBudgetMs) {
      runs[runs.length - 1] = { error: `${averageMs.toFixed(1)} ms of CPU time a tick`, line: null, tick: run.ticks };
      break;
    }
    if (performance.now() - reportedMs < REPORT_MS) continue;
    report({ runs: runs.splice(0) });
    reportedMs = performance.now();
  }
  return { runs };
}

const COMMANDS = { load, tick, simulate };

function run(command, input, report) {
  try {
    return COMMANDS[command](input, report);
  } catch {
    // An error whose own text throws.
    return { error: "it failed, and so did the text of its error", line: null };
  }
}

let pending = "";
stdin.setEncoding("utf8");
stdin.on("data", (text) => {
  const lines = (pending + text).split("\n");
  pending = lines.pop();
  for (const line of lines) {
    const { id, command, ...input } = JSON.parse(line);
    send({ id, isDone: true, ...run(command, input, (part) => send({ id, isDone: false, ...part })) });
  }
});
