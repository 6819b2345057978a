/**
 * Loaded before the tests of a run: properties are checked on the same examples in every run, so that a run is red for
 * what a change does. `FAST_CHECK_SEED` draws others.
 */
import fc from "fast-check";

const SEED = 20_260_101;

fc.configureGlobal({ seed: Number(process.env.FAST_CHECK_SEED ?? SEED) });
