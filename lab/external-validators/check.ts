/** A check by an external program. Returns its errors; an empty list where everything is valid. */
export type Check = (options: {
  /** Injects faults: then the result is empty if one of them was missed. */
  readonly isSelfTest: boolean;
}) => Promise<readonly string[]>;
