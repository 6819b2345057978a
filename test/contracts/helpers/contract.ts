import type { BaseContract } from "ethers";

/**
 * A contract whose methods are known at run time only: types generated from artifacts exist after a build, and
 * checking the tests' types must not need one.
 */
// biome-ignore lint/suspicious/noExplicitAny: the ABI decides at run time
export type AnyContract = BaseContract & { readonly [method: string]: any };
