/**
 * Checks that histories of concurrent operations are linearizable: each operation appears to take effect at one moment
 * between its invocation and its answer. The search is that of J. M. Wing and C. Gong, "Testing and Verifying
 * Concurrent Objects" (Journal of Parallel and Distributed Computing 17, 1993): an operation can be the next one if all
 * remaining ones were answered after its invocation. As in G. Lowe, "Testing for Linearizability" (Concurrency and
 * Computation 29, 2017), no configuration (the remaining operations and the object's state) is searched twice.
 */

export interface Operation<Input, Output> {
  readonly input: Input;
  readonly invokedAtMs: number;
  /** Null: unknown. The operation may take effect at any time after its invocation, or never. */
  readonly answer: { readonly output: Output; readonly atMs: number } | null;
}

/** A sequential object. Its states are JSON. */
export interface Model<State, Input, Output> {
  readonly initial: State;
  /** The state after an operation with this output, null for any output. `undefined`: the output is impossible. */
  readonly step: (state: State, input: Input, output: Output | null) => State | undefined;
}

export function isLinearizable<State, Input, Output>(
  history: readonly Operation<Input, Output>[],
  { initial, step }: Model<State, Input, Output>,
): boolean {
  const getEndMs = ({ answer }: Operation<Input, Output>): number => answer?.atMs ?? Number.POSITIVE_INFINITY;
  // Operations with unknown outcomes come last: they take effect only if another operation shows it.
  const all = [...history].sort((a, b) => getEndMs(a) - getEndMs(b));
  const searched = new Set<string>();

  /** `left`: indices of `all`, in its order. */
  function search(left: readonly number[], state: State): boolean {
    const [first] = left;
    if (first === undefined || all[first]!.answer === null) return true;
    const configuration = `${left.join()} ${JSON.stringify(state)}`;
    if (searched.has(configuration)) return false;
    searched.add(configuration);
    const firstEndMs = getEndMs(all[first]!);
    return left.some((index) => {
      const { input, invokedAtMs, answer } = all[index]!;
      if (invokedAtMs > firstEndMs) return false;
      const next = step(state, input, answer === null ? null : answer.output);
      return (
        next !== undefined &&
        search(
          left.filter((other) => other !== index),
          next,
        )
      );
    });
  }

  return search([...all.keys()], initial);
}
