/** Policies that try to break out, each with the expected result. */
const LONG = "const long = []; long.length = 4294967295;";
const HUGE = "let huge = 'x'; for (let i = 0; i < 18; i++) huge += huge;";

export const ESCAPES: { readonly [text: string]: RegExp } = {
  // Loops, including those that catch the error that ends them.
  "() => { for (;;); }": /^fuel/,
  "() => { for (;;) { try { for (;;); } catch {} } }": /^fuel/,
  "() => { const f = () => 1 + f(); return f(); }": /^stack/,
  "() => { let a = []; for (let i = 0; i < 1e5; i++) a = [a]; return JSON.stringify(a); }": /^stack/,
  "() => ({ get t() { for (;;); } })": /^fuel/,
  "() => ({ toJSON() { for (;;); } })": /^fuel/,
  "() => { throw { get message() { for (;;); } }; }": /^error/,
  // Memory.
  "() => { const a = []; for (let i = 0; i < 1.8e5; i++) a[i] = [i, i, i, i, i, i, i, i, i, i, i, i, i, i, i, i]; }":
    /^memory/,
  "() => { let s = 'x'; for (;;) s += s; }": /^(memory|error string too long)/,
  "() => { let a = ['x']; for (let i = 0; i < 40; i++) a = [a, a]; return a; }": /^memory/,
  // Native loops over lengths that cost no fuel.
  [`() => { ${LONG} return long.join('x'); }`]: /^error .*at most 65536/,
  [`() => { ${LONG} for (;;) try { long.indexOf(1); } catch {} }`]: /^fuel/,
  [`() => { ${LONG} long.sort(); }`]: /^error .*at most 65536/,
  [`() => { ${LONG} return new Set(long).size; }`]: /^fuel/,
  [`() => { ${LONG} return Math.max(...long); }`]: /^(fuel|memory)/,
  [`() => { ${LONG} return [].concat(long); }`]: /^error .*at most 65536/,
  [`() => { ${LONG} return Object.keys(long); }`]: /^error .*at most 65536/,
  "() => { const a = [1]; const it = a.values(); a.length = 4294967295; return new Set(it).size; }": /^fuel/,
  "() => Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)": /^error expected an array/,
  "() => Array.prototype.push.call({ length: 2 ** 53 - 2 }, 1)": /^error expected an array/,
  "() => Math.max.apply(null, { length: 4294967295 })": /^error expected an array/,
  "() => Array.from({ length: 1e9 }).length": /^(fuel|error .*at most 65536)/,
  "() => 'x'.repeat(2 ** 29)": /^error .*at most 65536/,
  "() => 'x'.padEnd(2 ** 29)": /^error .*at most 65536/,
  "() => { let s = 'x'.repeat(60000); for (;;) s = s.replaceAll('x', 'xx'); }": /^error the tick's fuel/,
  "() => { for (;;) new Array(60000).fill(0); }": /^error the tick's fuel/,
  "() => [].values().drop(1e9)": /^error not a function/,
  "() => new Set([1]).union(new Set([2]))": /^error not a function/,
  "() => 'aaa'.match('(a+)+')": /^error not a function/,
  "() => /(a+)+b/.test('a'.repeat(40))": /^text RegExp/,
  "() => 2n ** 100000000n": /^text .*big integers such as 2n/,
  // Code from text, other realms, clocks and randomness.
  "() => eval('1')": /^error 'eval' is not defined/,
  "() => (() => {}).constructor('return 1')()": /^error a policy cannot make code/,
  "() => (function* () {}).constructor('yield 1')()": /^error a policy cannot make code/,
  "() => (async () => {}).constructor('return 1')()": /^error a policy cannot make code/,
  "import fs from 'node:fs'; () => null": /^error could not load module/,
  "() => 'x'.repeat(300)": /^move/,
};

/** Names that a policy must not find. */
export const ABSENT = [
  ...[
    "Date",
    "performance",
    "setTimeout",
    "queueMicrotask",
    "Promise",
    "Proxy",
    "Reflect",
    "WeakRef",
    "RegExp",
    "BigInt",
  ],
  ...["ArrayBuffer", "Uint8Array", "SharedArrayBuffer", "Atomics", "WebAssembly", "Function", "eval", "Iterator"],
  ...["require", "process", "fetch", "console", "print", "std", "os", "Buffer", "scriptArgs", "FinalizationRegistry"],
];

/** Policies that change built-in objects, each with the move that it still makes. */
export const PROTOTYPE_TRICKS: { readonly [text: string]: number | null } = {
  "JSON.parse = () => ({}); JSON.stringify = () => '{\"move\":1}'; () => 5": 5,
  "Object.prototype.toJSON = () => 6; () => null": null,
  "Array.prototype.push = Array.prototype.map = () => { throw 1; }; () => 5": 5,
  "Object.defineProperty(Object.prototype, 'length', { get: () => -1 }); () => 5": 5,
  "Object.setPrototypeOf(Array.prototype, null); () => 5": 5,
};

/** Repeated built-in operations that are charged too little fuel, so that the process is killed. */
export const KILLED = `() => { ${HUGE} const one = huge + 'a', other = huge + 'b'; let n = 0; for (;;) if (one < other) n++; }`;
