/** Whether two addresses are equal; each may be written with or without its checksum. */
export const isSameAddress = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();
