/** A random id. Also works on pages without a secure context, in which `crypto.randomUUID` is missing. */
export const createRandomId = (): string => crypto.getRandomValues(new Uint32Array(4)).join("-");
