/** A check by an external program. Returns its errors; an empty list if everything is valid. */
export type Check = (options: {
  /** Injects faults. The result is then empty if one of them was missed. */
  readonly isSelfTest: boolean;
}) => Promise<readonly string[]>;
