import type { Terminal } from "../cli/terminal.ts";

/** Runs the steps of a start, and prints how long each took. */
export const createStepReporter =
  (terminal: Terminal) =>
  async <T>(title: string, run: () => Promise<T>): Promise<T> => {
    const startedMs = performance.now();
    const result = await run();
    terminal.print(`  ${title.padEnd(12)} ready after ${((performance.now() - startedMs) / 1000).toFixed(1)} s`);
    return result;
  };
