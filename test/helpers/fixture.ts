/** What the tests of a block use, and the hooks that open and close it. */

interface Closable {
  close?(): unknown;
  stop?(): unknown;
}

/** Stands for what `get` returns at the time of each use. */
function createStandIn<T extends object>(get: () => T | null): T {
  return new Proxy({} as T, {
    get(_, name) {
      const target = get();
      if (target === null) throw new Error("A hook opens it before the tests.");
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

const closeFixture = (opened: Closable): unknown => (opened.close === undefined ? opened.stop?.() : opened.close());

/** Declares one for all tests of the block. */
export function useShared<T extends object & Closable>(
  open: () => Promise<T>,
  close = closeFixture as (opened: T) => unknown,
): T {
  let opened: T | null = null;
  before(async () => {
    opened = await open();
  });
  after(async () => {
    if (opened !== null) await close(opened);
  });
  return createStandIn(() => opened);
}

/** Declares one for each test of the block. */
export function useEach<T extends object & Closable>(open: () => Promise<T>): T {
  let opened: T | null = null;
  beforeEach(async () => {
    opened = await open();
  });
  afterEach(async () => {
    if (opened !== null) await closeFixture(opened);
    opened = null;
  });
  return createStandIn(() => opened);
}
