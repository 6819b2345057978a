/** Runs something without the warnings of Node, such as that one of its functions is experimental. */
export function withoutWarnings<T>(run: () => T): T {
  const { emitWarning } = process;
  process.emitWarning = () => undefined;
  try {
    return run();
  } finally {
    process.emitWarning = emitWarning;
  }
}
