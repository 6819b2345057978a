/** A fixture for the tests of a block, with the hooks that open and close it. */
import { createStandIn } from "../../testing/fixtures/declare.ts";

interface Closable {
  close?(): unknown;
  stop?(): unknown;
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
