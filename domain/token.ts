/** The reward token as it is deployed. */
export const REWARD_TOKEN = { name: "Arcade Token", symbol: "ARCD", decimals: 18 } as const;
