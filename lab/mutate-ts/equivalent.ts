/** Survivors that were reviewed: why no test can notice them. The keys are what a run prints. */
export const EQUIVALENT: { readonly [key: string]: string } = {};
