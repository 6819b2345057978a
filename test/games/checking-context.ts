class CheckingContext {
  calls = 0;
  texts = 0;
  depth = 0;
}

/** A canvas context that throws for non-finite numbers, and counts calls, texts and open saves. */
export function createCheckingContext(): CheckingContext & CanvasRenderingContext2D {
  const record = new CheckingContext();
  const gradient = { addColorStop: (at: number) => check([at]) };
  const check = (args: readonly unknown[]): void => {
    record.calls += 1;
    // Plain comparisons, since a drawing makes thousands of calls.
    for (const arg of args) if (typeof arg === "number" && !Number.isFinite(arg)) throw new RangeError(`${arg}`);
  };
  return new Proxy(record, {
    get(target, name) {
      if (name in target) return Reflect.get(target, name);
      return (...args: unknown[]) => {
        check(args);
        if (name === "fillText") target.texts += 1;
        if (name === "save") target.depth += 1;
        if (name === "restore") target.depth -= 1;
        return String(name).startsWith("create") ? gradient : undefined;
      };
    },
    set(_target, _name, value) {
      check([value]);
      if (typeof value === "string" && /NaN|undefined/.test(value)) throw new RangeError(value);
      return true;
    },
  }) as CheckingContext & CanvasRenderingContext2D;
}
