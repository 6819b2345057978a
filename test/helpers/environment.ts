/**
 * Sets variables of this process's environment, and removes those that are undefined. Returns what restores all
 * variables, also those that are set later. A new object as `process.env` would not be the environment that Node
 * itself reads, such as `TMPDIR` for `os.tmpdir`.
 */
export function setEnvironment(values: NodeJS.ProcessEnv): () => void {
  const before = { ...process.env };
  assign(values);
  return () => {
    for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
    assign(before);
  };
}

function assign(values: NodeJS.ProcessEnv): void {
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
}
