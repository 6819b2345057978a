/**
 * What a thread of the pool runs. The first task loads the tasks' modules: a thread that ends inside native code (the
 * addon of signatures, even while it is loaded) aborts the whole process, and the pool waits only for tasks.
 */
type Tasks = typeof import("./tasks.ts");
type Input<Name extends keyof Tasks> = Parameters<Tasks[Name]>[0];

let tasks: Promise<Tasks> | undefined;
const loadTasks = (): Promise<Tasks> => {
  tasks ??= import("./tasks.ts");
  return tasks;
};

/** Loads the modules, so that the first signature does not wait for them. */
export const warmUp = async (): Promise<void> => {
  await loadTasks();
};
export const recoverDigest = async (input: Input<"recoverDigest">) => (await loadTasks()).recoverDigest(input);
export const recoverMessage = async (input: Input<"recoverMessage">) => (await loadTasks()).recoverMessage(input);
export const verifyReplay = async (input: Input<"verifyReplay">) => (await loadTasks()).verifyReplay(input);
