/** Finds every place of a source that can be changed. */
import {
  findAll,
  getChildren,
  getNode,
  getNodes,
  getRange,
  getText,
  getTypeString,
  type Node,
  type Range,
} from "./ast.ts";
import { type Change, CONDITIONS, getChanges, getReturnChanges, getYulChanges } from "./operators.ts";

/** How a change is switched on in the text: see `render.ts`. */
export type Form = "expression" | "statement" | "modifier" | "yul expression" | "yul statement";

export interface MutationPoint extends Range {
  readonly form: Form;
  /** The type an alternative has to be given, for numbers and strings whose type the compiler infers. */
  readonly cast: string;
  readonly changes: readonly Change[];
}

const DELETED: Change = { kind: "deleted statement", put: "" };
const STATEMENTS = new Set(["ExpressionStatement", "EmitStatement", "RevertStatement", "Break"]);

const KEYWORDS: { readonly [nodeType: string]: string } = {
  EmitStatement: "emit ",
  RevertStatement: "revert ",
  ExpressionStatement: "",
};

/** The check behind each modifier, and a weaker or a stronger one that may replace it. */
const MODIFIERS: { readonly [name: string]: readonly string[] } = {
  onlyRole: ["", "_checkGuardianOrAdmin();"],
  onlyGuardianOrAdmin: ["", "_checkRole(DEFAULT_ADMIN_ROLE);"],
};

/** `int_const` and `literal_string` have no name that could be written, and need one where two of them meet. */
function getCast(expression: Node, parent: Node | undefined): string {
  const type = getTypeString(expression);
  if (type.startsWith("int_const")) {
    if (parent?.nodeType === "VariableDeclaration" || parent?.nodeType === "Conditional") return getTypeString(parent);
    return "uint256";
  }
  if (type.startsWith("literal_string") && parent?.nodeType === "FunctionCall") {
    return getText(getNode(parent, "expression"), "name") === "keccak256" ? "bytes" : "";
  }
  return "";
}

/** Names of file-level and contract constants used in assembly, which must stay constants. */
export function findAssemblyConstants(source: Node): ReadonlySet<number> {
  const used = findAll(source, ({ nodeType }) => nodeType === "InlineAssembly");
  return new Set(
    used.flatMap((block) =>
      (block.externalReferences as { declaration: number }[]).map(({ declaration }) => declaration),
    ),
  );
}

/** Every point of a source, outer ones first. `raw` returns the text of a node. */
export function findMutationPoints(source: Node, raw: (of: Node) => string): MutationPoint[] {
  const points: MutationPoint[] = [];
  const fixed = findAssemblyConstants(source);
  const add = (at: Node, form: Form, changes: readonly Change[], cast = ""): void => {
    if (changes.length > 0) points.push({ ...getRange(at), form, changes, cast });
  };

  function walkExpression(expression: Node, parent: Node | undefined, extra: readonly Change[] = []): void {
    add(expression, "expression", [...extra, ...getChanges(expression, raw)], getCast(expression, parent));
    for (const child of getChildren(expression)) {
      if (child.nodeType.endsWith("TypeName") || child.nodeType === "ElementaryTypeNameExpression") continue;
      // A number inside address(0) or type(T) is a part of the name.
      if (expression.nodeType === "FunctionCall" && getText(expression, "kind") === "typeConversion") {
        if (child.nodeType === "Literal" && getTypeString(expression) === "address") continue;
      }
      walkExpression(child, expression);
    }
  }

  function walkYul(at: Node): void {
    if (at.nodeType === "YulExpressionStatement" || at.nodeType === "YulAssignment") {
      add(at, "yul statement", [DELETED]);
    }
    if (at.nodeType === "YulIf") {
      add(getNode(at, "condition"), "yul expression", [
        { kind: "condition", put: "1" },
        { kind: "condition", put: "0" },
        ...getYulChanges(getNode(at, "condition"), raw),
      ]);
      for (const child of getChildren(getNode(at, "condition"))) walkYul(child);
      walkYul(getNode(at, "body"));
      return;
    }
    add(at, "yul expression", getYulChanges(at, raw));
    for (const child of getChildren(at)) walkYul(child);
  }

  function walkStatement(at: Node): void {
    if (at.nodeType === "InlineAssembly") {
      walkYul(getNode(at, "AST"));
      return;
    }
    if (STATEMENTS.has(at.nodeType)) add(at, "statement", [DELETED]);
    for (const [field, value] of Object.entries(at)) {
      const below = (Array.isArray(value) ? value : [value]).filter(
        (child): child is Node => typeof child === "object" && child !== null && "nodeType" in child,
      );
      for (const child of below) {
        if (field === "loopExpression") walkExpression(getNode(child, "expression"), child);
        else if (field === "initializationExpression") for (const part of getChildren(child)) walkPart(part, child);
        else if (field === "condition") walkExpression(child, at, at.nodeType === "IfStatement" ? CONDITIONS : []);
        else walkPart(child, at);
      }
    }
  }

  function walkPart(part: Node, parent: Node): void {
    if (/Statement$|^Block$|^UncheckedBlock$|^InlineAssembly$|^Return$|^Break$/.test(part.nodeType)) {
      if (part.nodeType === "Return") {
        const value = part.expression as Node | null | undefined;
        if (value) walkExpression(value, part, getReturnChanges(value));
        return;
      }
      walkStatement(part);
      return;
    }
    if (part.nodeType === "VariableDeclaration" || part.nodeType.endsWith("TypeName")) return;
    // A call without a result cannot be put behind a switch; its arguments can.
    const keyword = KEYWORDS[parent.nodeType];
    if (keyword !== undefined && (keyword !== "" || getTypeString(part) === "tuple()")) {
      for (const { kind, put } of getChanges(part, raw)) add(parent, "statement", [{ kind, put: `${keyword}${put};` }]);
      for (const argument of getNodes(part, "arguments")) walkExpression(argument, part);
      return;
    }
    walkExpression(part, parent);
  }

  function walkFunction(of: Node): void {
    for (const invocation of getNodes(of, "modifiers")) {
      const name = getText(getNode(invocation, "modifierName"), "name");
      const kinds = MODIFIERS[name];
      if (kinds !== undefined) {
        const changes = kinds.map((put) => ({ kind: put === "" ? "removed modifier" : "other modifier", put }));
        add(invocation, "modifier", changes);
      }
      for (const argument of getNodes(invocation, "arguments")) walkExpression(argument, invocation);
    }
    if (of.body !== undefined && of.body !== null) walkStatement(getNode(of, "body"));
  }

  // A modifier's own body is changed where it is used.
  for (const at of findAll(source, ({ nodeType }) => nodeType === "FunctionDefinition")) walkFunction(at);
  for (const at of findConstants(source)) {
    if (!fixed.has(Number(at.id))) walkExpression(getNode(at, "value"), at);
  }
  return points;
}

/** Constants of a source, inside and outside contracts. */
export const findConstants = (source: Node): Node[] =>
  findAll(source, (at) => at.nodeType === "VariableDeclaration" && at.constant === true && at.value !== undefined);
