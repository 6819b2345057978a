/** A check against the world outside: answers its faults, none where all is well. */
export type Check = (options: {
  /** Plants faults: then the answer must not be empty, and is empty where one was missed. */
  readonly planted: boolean;
}) => Promise<readonly string[]>;
