/** The parts of solc's syntax tree that the mutation run reads (https://docs.soliditylang.org, "Standard JSON"). */

export interface Node {
  readonly nodeType: string;
  /** `start:length:file`, in bytes. */
  readonly src: string;
  readonly [field: string]: unknown;
}

export interface Range {
  readonly start: number;
  readonly end: number;
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof (value as { nodeType?: unknown }).nodeType === "string";

export function getRange({ src }: Node): Range {
  const [start = 0, length = 0] = src.split(":").map(Number);
  return { start, end: start + length };
}

/** The nodes right below one, in the order of the text. */
export function getChildren(node: Node): Node[] {
  const found: Node[] = [];
  for (const value of Object.values(node)) {
    if (isNode(value)) found.push(value);
    else if (Array.isArray(value)) found.push(...value.filter(isNode));
  }
  return found.sort((a, b) => getRange(a).start - getRange(b).start);
}

/** All nodes of a tree for which `test` holds. */
export function findAll(node: Node, test: (node: Node) => boolean): Node[] {
  const below = getChildren(node).flatMap((child) => findAll(child, test));
  return test(node) ? [node, ...below] : below;
}

export const getNode = (parent: Node, field: string): Node => parent[field] as Node;
export const getNodes = (parent: Node, field: string): readonly Node[] =>
  ((parent[field] as readonly (Node | null)[] | undefined) ?? []).filter((child) => child !== null);
export const getText = (parent: Node, field: string): string => String(parent[field]);

/** The type of an expression, as the compiler writes it: `uint256`, `int_const 64`, `bytes32`. */
export const getTypeString = (expression: Node): string =>
  (expression.typeDescriptions as { typeString?: string } | undefined)?.typeString ?? "";
