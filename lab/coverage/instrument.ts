/** Instruments a Solidity file so that every branch reports its outcome. */
import { createHash } from "node:crypto";
import { createRequire } from "node:module";
import { findAll, getNode, getRange, getText, type Node } from "../mutate/ast.ts";

/** One decision in a source, with the mark of each outcome. */
export interface Branch {
  readonly file: string;
  readonly line: number;
  /** The text of the condition in the source. */
  readonly condition: string;
  readonly marks: { readonly true: string; readonly false: string };
}

interface Insertion {
  readonly at: number;
  readonly code: string;
  /** Where two insertions have one place, the one with the smaller order comes first. */
  readonly order: number;
}

const solc = createRequire(import.meta.url)("solc") as {
  compile(input: string, callbacks: { import(path: string): { contents: string } }): string;
};

/** The address at which Hardhat's chain records marks; the library that calls it is written into the build by `--coverage`. */
const COVERAGE_ADDRESS = "0xc0bEc0BEc0BeC0bEC0beC0bEC0bEC0beC0beC0BE";
const createHitCall = (mark: string): string => `__NomicFoundationCoverage.sendHit(${mark})`;
/** The mark of true is odd, that of false one less: the value comes first, which leaves more space on the stack. */
const HELPER = `
function __seen(bool value, uint256 mark) pure returns (bool) {
  ${createHitCall("value ? mark : mark - 1")};
  return value;
}
`;
/** The same inside assembly; bytes 0 to 31 are free for use there. */
const YUL_HELPER =
  " function __seen(value, mark) -> result { result := value mstore(0, sub(mark, iszero(value))) " +
  `pop(staticcall(gas(), ${COVERAGE_ADDRESS}, 0, 32, 0, 0)) } `;

function parseSolidity(content: string): Node {
  const sources = { source: { content } };
  const settings = { stopAfter: "parsing", outputSelection: { "*": { "": ["ast"] } } };
  const input = JSON.stringify({ language: "Solidity", sources, settings });
  const output = JSON.parse(solc.compile(input, { import: () => ({ contents: "" }) }));
  const tree = output.sources?.source?.ast;
  if (tree === undefined) throw new Error(`not Solidity: ${JSON.stringify(output.errors)}`);
  return tree as Node;
}

/** Conditions of `if`, `?:` and loops, and both operands of every `&&` and `||`. */
function listConditions(file: string, tree: Node): readonly Node[] {
  const kinds = ["IfStatement", "Conditional", "ForStatement", "WhileStatement", "DoWhileStatement"];
  const deciding = findAll(tree, ({ nodeType }) => [...kinds, "YulIf", "YulForLoop"].includes(nodeType));
  const logical = findAll(
    tree,
    (one) => one.nodeType === "BinaryOperation" && ["&&", "||"].includes(getText(one, "operator")),
  );
  const other = findAll(tree, ({ nodeType }) => nodeType === "YulSwitch" || nodeType === "TryStatement");
  if (other.length > 0) throw new Error(`branches of ${other[0]!.nodeType} are not counted yet (${file})`);
  return [
    ...deciding.map((one) => getNode(one, "condition")).filter((condition) => condition != null),
    ...logical.flatMap((one) => [getNode(one, "leftExpression"), getNode(one, "rightExpression")]),
  ];
}

function applyInsertions(content: Buffer, insertions: readonly Insertion[]): string {
  const sorted = [...insertions].sort((a, b) => a.at - b.at || a.order - b.order);
  let written = "";
  let from = 0;
  for (const { at, code: words } of sorted) {
    written += content.subarray(from, at).toString() + words;
    from = at;
  }
  return written + content.subarray(from).toString();
}

/**
 * Wraps every condition of `content`; lines stay where they are. Only what is compiled changes: a condition is
 * evaluated as often as before, and in the same order.
 */
export function instrument(file: string, content: string): { readonly source: string; readonly branches: Branch[] } {
  const bytes = Buffer.from(content);
  const tree = parseSolidity(content);
  const conditions = listConditions(file, tree);
  const branches: Branch[] = [];
  const insertions: Insertion[] = [];
  const createMarks = (index: number): Branch["marks"] => {
    const begin = createHash("sha256").update(`${file} ${index}`).digest("hex").slice(0, -1);
    return { true: `${begin}1`, false: `${begin}0` };
  };
  // An operand may itself be a whole condition; it counts once.
  const seen = new Set<string>();
  for (const condition of conditions) {
    const { start, end } = getRange(condition);
    if (seen.has(condition.src)) continue;
    seen.add(condition.src);
    const marks = createMarks(branches.length);
    const line = bytes.subarray(0, start).toString().split("\n").length;
    branches.push({ file, line, condition: bytes.subarray(start, end).toString().replace(/\s+/g, " "), marks });
    const length = end - start;
    insertions.push({ at: start, code: "__seen(", order: 1e9 - length });
    insertions.push({ at: end, code: `, 0x${marks.true})`, order: length - 1e9 });
  }
  for (const block of findAll(tree, ({ nodeType }) => nodeType === "InlineAssembly")) {
    if (
      findAll(getNode(block, "AST"), ({ nodeType }) => nodeType === "YulIf" || nodeType === "YulForLoop").length === 0
    )
      continue;
    insertions.push({ at: getRange(getNode(block, "AST")).start + 1, code: YUL_HELPER, order: 0 });
  }
  const source = applyInsertions(bytes, insertions) + (branches.length > 0 ? HELPER : "");
  return { source, branches };
}
