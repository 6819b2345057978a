/**
 * Loaded before the tests of a run: properties use the same examples in every run, so that only a change can turn a run
 * red. `FAST_CHECK_SEED` draws others.
 */
import fc from "fast-check";

const SEED = 20_260_101;

fc.configureGlobal({ seed: Number(process.env.FAST_CHECK_SEED ?? SEED) });
