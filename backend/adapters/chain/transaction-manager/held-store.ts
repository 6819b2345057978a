import { ArcadeError } from "../../../../domain/errors.ts";
import type { TransactionStore } from "../../../ports/store/chain.ts";

/**
 * The store of the backend that reconciles. A write is rejected once another backend may reconcile: a process that was
 * paused must not store what it has read before. Throws `CHAIN_UNAVAILABLE`.
 */
export function createHeldStore(store: TransactionStore, isHeld: () => boolean): TransactionStore {
  const guard =
    <Given extends unknown[], Result>(write: (...given: Given) => Promise<Result>) =>
    async (...given: Given): Promise<Result> => {
      if (isHeld()) return await write(...given);
      throw new ArcadeError("CHAIN_UNAVAILABLE", "Another backend watches the operator's transactions now; try again.");
    };
  const { add, addMany, settle, update, updateMany, replace } = store;
  return {
    ...store,
    add: guard(add),
    addMany: guard(addMany),
    settle: guard(settle),
    update: guard(update),
    updateMany: guard(updateMany),
    replace: guard(replace),
  };
}
