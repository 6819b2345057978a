/** Spreads work that becomes due at once over several turns of the event loop, so that due ticks run in between. */

/** This many resumed requests take about a millisecond. */
const PER_TURN = 4;

const waiting: (() => void)[] = [];
/** The number resumed in this turn; null if none was. */
let resumed: number | null = null;

function countTurn(): void {
  if (resumed !== null) return;
  resumed = 0;
  setImmediate(startNextTurn);
}

function startNextTurn(): void {
  resumed = null;
  if (waiting.length === 0) return;
  countTurn();
  for (const resume of waiting.splice(0, PER_TURN)) {
    resumed! += 1;
    resume();
  }
}

/**
 * Calls `resume` at once, or in a later turn of the event loop if several were called in this one; keeps their order.
 * Use it to resolve promises that requests wait for; `resume` must not throw.
 */
export function resumeInTurns(resume: () => void): void {
  countTurn();
  if (waiting.length > 0 || resumed! >= PER_TURN) {
    waiting.push(resume);
    return;
  }
  resumed! += 1;
  resume();
}
