/** One of this many blocks of the long chain has a mint. */
export const BLOCKS_PER_MINT = 500;
