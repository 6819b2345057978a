/** Spreads work that becomes due at once over turns of the event loop, so that ticks that are due run in between. */

/** So many pieces of work of a request take about a millisecond. */
const PER_TURN = 4;

const waiting: (() => void)[] = [];
/** How many were resumed in this turn; null if none was. */
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
 * Calls `resume` at once, or in a later turn of the event loop where several were called in this one, in the order of
 * the calls. For what resolves promises on which requests wait; `resume` must not throw.
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
