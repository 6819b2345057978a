/** Ignition's ids allow only letters, digits and underscores. */
export const toGameNftModuleId = (slug: string): string => `GameNFT_${slug.replaceAll(/[^a-zA-Z0-9]/g, "_")}`;
