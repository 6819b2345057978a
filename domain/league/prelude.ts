/**
 * JavaScript that runs in the engine before a policy: it removes what differs between machines, and what a native loop
 * could use to run past the interrupt. Every native that works on a list or a text is charged by its length.
 *
 * It returns `{ install, tick, work }`. Policies may replace built-in functions; these closures kept the originals.
 */
export const PRELUDE = `(function (NATIVE_LENGTH, TICK_WORK, seed) {
  "use strict";
  const { apply, ownKeys, defineProperty, getPrototypeOf, deleteProperty } = Reflect;
  const { parse, stringify } = JSON;
  const { isArray } = Array;
  const { min } = Math;
  const TheRangeError = RangeError, TheTypeError = TypeError, TheString = String, TheSet = Set, TheMap = Map;

  let work = 0;
  const charge = (amount) => {
    work += amount;
    if (work > TICK_WORK) throw new TheRangeError("the tick's fuel is used up by built-in functions");
  };
  const measure = (value) => {
    if (typeof value === "string") return value.length;
    if (!isArray(value)) return 0;
    if (value.length > NATIVE_LENGTH) throw new TheRangeError("built-in functions take lists of at most " + NATIVE_LENGTH + " elements");
    return value.length;
  };
  const set = (target, name, value) =>
    defineProperty(target, name, { value, writable: true, configurable: true, enumerable: false });
  const keep = (target, names) => {
    for (const key of ownKeys(target)) {
      if (typeof key === "symbol" ? key === Symbol.iterator || key === Symbol.toPrimitive || key === Symbol.toStringTag : names.includes(key)) continue;
      deleteProperty(target, key);
    }
  };
  // A native between two charges: before it for what it reads, after it for what it makes.
  const guard = (target, names, check) => {
    for (const name of names) {
      const native = target[name];
      const guarded = {
        [name](...args) {
          check(this);
          let cost = measure(this);
          for (let i = 0; i < args.length; i++) cost += measure(args[i]);
          charge(cost + 1);
          const result = apply(native, this, args);
          if (typeof result === "string" || isArray(result)) charge(result.length);
          return result;
        },
      }[name];
      set(target, name, guarded);
    }
  };
  const needList = (value) => { if (!isArray(value)) throw new TheTypeError("expected an array"); };
  const needText = (value) => { if (typeof value !== "string") throw new TheTypeError("expected a text"); };

  keep(Array.prototype, ["constructor", "length", "at", "every", "fill", "filter", "find", "findIndex", "findLast", "findLastIndex",
    "forEach", "includes", "indexOf", "join", "lastIndexOf", "map", "pop", "push", "reduce", "reduceRight", "reverse",
    "shift", "slice", "some", "sort", "splice", "toReversed", "toString", "unshift", "with", "keys", "values", "entries"]);
  guard(Array.prototype, ["every", "fill", "filter", "find", "findIndex", "findLast", "findLastIndex", "forEach",
    "includes", "indexOf", "join", "lastIndexOf", "map", "reduce", "reduceRight", "reverse", "shift", "slice", "some",
    "splice", "toReversed", "unshift", "with"], needList);
  for (const name of ["pop", "push", "at"]) {
    const native = Array.prototype[name];
    set(Array.prototype, name, { [name](...args) { needList(this); return apply(native, this, args); } }[name]);
  }
  const nativeSort = Array.prototype.sort;
  const byText = (a, b) => { const x = TheString(a), y = TheString(b); return x < y ? -1 : x > y ? 1 : 0; };
  set(Array.prototype, "sort", function sort(compare = byText) {
    needList(this);
    charge(measure(this));
    return apply(nativeSort, this, [compare]);
  });
  set(Array.prototype, "toSorted", function toSorted(compare) { return this.slice().sort(compare); });
  set(Array.prototype, "concat", function concat(...parts) {
    const all = this.slice();
    for (let i = 0; i < parts.length; i++) {
      if (isArray(parts[i])) { charge(measure(parts[i])); for (let j = 0; j < parts[i].length; j++) all.push(parts[i][j]); }
      else all.push(parts[i]);
    }
    return all;
  });
  set(Array.prototype, "flat", function flat(depth = 1) {
    const all = [];
    needList(this);
    for (let i = 0; i < this.length; i++) {
      if (isArray(this[i]) && depth >= 1) { const inner = this[i].flat(depth - 1); for (let j = 0; j < inner.length; j++) all.push(inner[j]); }
      else all.push(this[i]);
    }
    return all;
  });
  set(Array.prototype, "flatMap", function flatMap(change) { return this.map((each, index) => change(each, index)).flat(); });
  // A generator counts each element as a step; the native iterator would be followed without one.
  const iterate = function* values() { needList(this); for (let i = 0; i < this.length; i++) yield this[i]; };
  set(Array.prototype, "values", iterate);
  set(Array.prototype, "keys", function* keys() { needList(this); for (let i = 0; i < this.length; i++) yield i; });
  set(Array.prototype, "entries", function* entries() { needList(this); for (let i = 0; i < this.length; i++) yield [i, this[i]]; });

  const from = (items, change) => {
    const all = [];
    if (items != null && typeof items[Symbol.iterator] === "function") for (const each of items) all.push(each);
    else for (let i = 0, length = min(+items.length || 0, NATIVE_LENGTH + 1); i < length; i++) all.push(items[i]);
    measure(all);
    return change === undefined ? all : all.map((each, index) => change(each, index));
  };
  keep(Array, ["prototype", "length", "name", "isArray", "of"]);
  set(Array, "from", from);

  keep(String.prototype, ["constructor", "length", "at", "charAt", "charCodeAt", "codePointAt", "concat", "endsWith", "includes", "indexOf",
    "lastIndexOf", "padEnd", "padStart", "repeat", "replace", "replaceAll", "slice", "split", "startsWith", "substring",
    "toLowerCase", "toUpperCase", "toString", "trim", "trimEnd", "trimStart", "valueOf"]);
  const { repeat, padEnd, padStart } = String.prototype;
  guard(String.prototype, ["concat", "endsWith", "includes", "indexOf", "lastIndexOf", "replace", "replaceAll", "slice",
    "split", "startsWith", "substring", "toLowerCase", "toUpperCase", "trim", "trimEnd", "trimStart"], needText);
  const needLength = (length) => {
    if (!(length <= NATIVE_LENGTH)) throw new TheRangeError("built-in functions make texts of at most " + NATIVE_LENGTH + " characters");
    charge(length);
  };
  set(String.prototype, "repeat", function (count) { needText(this); needLength(this.length * +count); return apply(repeat, this, [count]); });
  for (const [name, native] of [["padEnd", padEnd], ["padStart", padStart]])
    set(String.prototype, name, function (length, fill = " ") { needText(this); needLength(+length); return apply(native, this, [+length, TheString(fill)]); });
  keep(String, ["prototype", "length", "name", "fromCharCode"]);

  // Without the set operations and the helpers of iterators, which follow an iterator natively.
  keep(TheSet.prototype, ["constructor", "add", "clear", "delete", "has", "size", "forEach", "values", "keys"]);
  keep(TheMap.prototype, ["constructor", "get", "set", "clear", "delete", "has", "size", "forEach", "values", "keys", "entries"]);
  keep(getPrototypeOf(getPrototypeOf(new TheSet().values())), []);
  const { add } = TheSet.prototype, put = TheMap.prototype.set;
  const OwnSet = function Set(items) { const all = new TheSet(); if (items != null) for (const each of items) apply(add, all, [each]); return all; };
  const OwnMap = function Map(items) { const all = new TheMap(); if (items != null) for (const each of items) apply(put, all, [each[0], each[1]]); return all; };
  for (const [own, native, name] of [[OwnSet, TheSet, "Set"], [OwnMap, TheMap, "Map"]]) {
    own.prototype = native.prototype;
    set(native.prototype, "constructor", own);
    set(globalThis, name, own);
  }

  keep(Object, ["prototype", "length", "name", "assign", "create", "defineProperty", "entries", "freeze", "getOwnPropertyNames",
    "getPrototypeOf", "hasOwn", "is", "isFrozen", "keys", "setPrototypeOf", "values"]);
  for (const name of ["entries", "keys", "values", "getOwnPropertyNames", "freeze", "assign"]) {
    const native = Object[name];
    set(Object, name, { [name](...args) {
      for (let i = 0; i < args.length; i++) measure(args[i]);
      charge(64);
      const result = apply(native, Object, args);
      if (isArray(result)) charge(result.length);
      return result;
    } }[name]);
  }
  const fromEntries = (items) => { const all = {}; for (const [key, value] of items) all[key] = value; return all; };
  set(Object, "fromEntries", fromEntries);

  keep(JSON, []);
  set(JSON, "parse", (text) => { needText(text); charge(measure(text)); return parse(text); });
  set(JSON, "stringify", (value) => {
    let all;
    charge(1000);
    try { all = stringify(value); } catch (error) { charge(NATIVE_LENGTH); throw error; }
    if (all !== undefined) charge(all.length);
    return all;
  });

  // xoshiro128**: four words of the course's seed for policies.
  let [a, b, c, d] = seed;
  const { imul } = Math;
  const next = () => {
    const mixed = imul(b, 5), result = imul((mixed << 7) | (mixed >>> 25), 9), t = b << 9;
    c ^= a; d ^= b; b ^= c; a ^= d; c ^= t; d = (d << 11) | (d >>> 21);
    return result >>> 0;
  };
  set(Math, "random", () => next() / 4294967296);

  // No text becomes code after this: parsing has no fuel.
  const refuse = function () { throw new TheTypeError("a policy cannot make code from text"); };
  for (const some of [function () {}, function* () {}, async function () {}, async function* () {}])
    set(getPrototypeOf(some), "constructor", refuse);
  deleteProperty(Function.prototype, "toString");
  set(Function.prototype, "apply", function (self, args) { if (args != null) needList(args); return apply(this, self, args ?? []); });
  for (const Kind of [Error, TypeError, RangeError, SyntaxError, ReferenceError, EvalError, URIError]) keep(Kind, ["prototype", "length", "name"]);
  keep(globalThis, ["Object", "Array", "Number", "String", "Boolean", "Math", "JSON", "Map", "Set", "Symbol", "Error", "TypeError",
    "RangeError", "SyntaxError", "ReferenceError", "parseInt", "parseFloat", "isNaN", "isFinite", "NaN", "Infinity", "undefined", "globalThis"]);
  keep(Symbol, ["prototype", "length", "name", "iterator", "toPrimitive"]);

  let policy = null;
  let memory = {};
  return {
    install(value, declared) {
      policy = typeof value === "function" ? value : typeof declared === "function" ? declared : null;
      return policy !== null;
    },
    work() { return work; },
    tick(text) { work = 0; const move = stringify(policy(parse(text), memory)); return move === undefined ? "null" : move; },
  };
})`;
