/** What is changed, in Solidity's expressions and in Yul: the usual operators of mutation testing. */
import { getNode, getNodes, getRange, getText, getTypeString, type Node } from "./ast.ts";

/** One change at one place: `put` replaces the text. */
export interface Change {
  readonly kind: string;
  readonly put: string;
}

const BINARY: { readonly [operator: string]: readonly string[] } = {
  "+": ["-"],
  "-": ["+"],
  "*": ["/"],
  "/": ["*"],
  "%": ["*"],
  "&": ["|"],
  "|": ["&"],
  "^": ["&"],
  "<<": [">>"],
  ">>": ["<<"],
  "==": ["!="],
  "!=": ["=="],
  "<": ["<=", ">="],
  "<=": ["<", ">"],
  ">": [">=", "<="],
  ">=": [">", "<"],
  "&&": ["||"],
  "||": ["&&"],
};
const ASSIGNMENT: { readonly [operator: string]: string } = {
  "+=": "-=",
  "-=": "+=",
  "|=": "&=",
  "&=": "|=",
  ">>=": "<<=",
  "<<=": ">>=",
};
const YUL: { readonly [name: string]: string } = {
  add: "sub",
  sub: "add",
  mul: "div",
  shl: "shr",
  shr: "shl",
  and: "or",
  or: "and",
  gt: "lt",
  lt: "gt",
};

type GetSource = (of: Node) => string;

function getLiteralChanges(literal: Node): Change[] {
  const value = getText(literal, "value");
  switch (getText(literal, "kind")) {
    case "bool":
      return [{ kind: "literal", put: value === "true" ? "false" : "true" }];
    case "number": {
      if (!/^(0x[0-9a-f]+|[\d_]+)$/i.test(value)) return [];
      const unit = typeof literal.subdenomination === "string" ? ` ${literal.subdenomination}` : "";
      return [{ kind: "literal", put: `(${value}${unit} + 1)` }];
    }
    case "string":
      return [{ kind: "literal", put: JSON.stringify(value === "" ? "X" : `\u007e${value.slice(1)}`) }];
    default:
      return [];
  }
}

/** Functions whose result does not depend on the order of their operands. */
const COMMUTATIVE = new Set(["min"]);

/** Adjacent operands of one type swap places: the compiler accepts it, so only a test can find it. */
function getArgumentChanges(call: Node, raw: GetSource): Change[] {
  const given = getNodes(call, "arguments");
  if (COMMUTATIVE.has(raw(getNode(call, "expression")))) return [];
  if (getText(call, "kind") !== "functionCall" || getNodes(call, "nameLocations").length > 0) return [];
  if (Array.isArray(call.names) && call.names.length > 0) return [];
  const changes: Change[] = [];
  for (let at = 0; at + 1 < given.length; at += 1) {
    if (getTypeString(given[at]!) !== getTypeString(given[at + 1]!) || raw(given[at]!) === raw(given[at + 1]!))
      continue;
    const order = given.map(raw);
    [order[at], order[at + 1]] = [order[at + 1]!, order[at]!];
    changes.push({ kind: "swapped arguments", put: `${raw(getNode(call, "expression"))}(${order.join(", ")})` });
  }
  return changes;
}

/** Replacements of a Solidity expression. */
export function getChanges(expression: Node, raw: GetSource): Change[] {
  switch (expression.nodeType) {
    case "BinaryOperation": {
      const left = raw(getNode(expression, "leftExpression"));
      const right = raw(getNode(expression, "rightExpression"));
      return (BINARY[getText(expression, "operator")] ?? []).map((operator) => ({
        kind: "operator",
        put: `(${left}) ${operator} (${right})`,
      }));
    }
    case "UnaryOperation": {
      const inner = raw(getNode(expression, "subExpression"));
      const operator = getText(expression, "operator");
      if (operator === "!" || operator === "~") return [{ kind: "operator", put: inner }];
      return [];
    }
    case "Assignment": {
      const operator = ASSIGNMENT[getText(expression, "operator")];
      if (operator === undefined) return [];
      const left = raw(getNode(expression, "leftHandSide"));
      const right = raw(getNode(expression, "rightHandSide"));
      return [{ kind: "operator", put: `${left} ${operator} ${right}` }];
    }
    case "Conditional":
      return [
        { kind: "branch", put: raw(getNode(expression, "trueExpression")) },
        { kind: "branch", put: raw(getNode(expression, "falseExpression")) },
      ];
    case "Literal":
      return getLiteralChanges(expression);
    case "FunctionCall": {
      const [only] = getNodes(expression, "arguments");
      if (
        getText(expression, "kind") === "typeConversion" &&
        getTypeString(expression) === "address" &&
        only?.value === "0"
      ) {
        return [{ kind: "literal", put: "address(1)" }];
      }
      return getArgumentChanges(expression, raw);
    }
    case "MemberAccess":
      return getText(expression, "memberName") === "max" &&
        getNode(expression, "expression").nodeType === "FunctionCall"
        ? [{ kind: "literal", put: `(${raw(expression)} - 1)` }]
        : [];
    default:
      return [];
  }
}

/** Replacements of a condition: true and false. */
export const CONDITIONS: readonly Change[] = [
  { kind: "condition", put: "true" },
  { kind: "condition", put: "false" },
];

/** Replacements of a returned expression: the empty value of its type. */
export function getReturnChanges(expression: Node): Change[] {
  const type = getTypeString(expression);
  const empty =
    type === "bool" ? undefined : /^uint\d*$/.test(type) || /^bytes\d+$/.test(type) ? `${type}(0)` : undefined;
  if (type === "address") return [{ kind: "return", put: "address(0)" }];
  return empty === undefined || expression.nodeType === "Literal" ? [] : [{ kind: "return", put: empty }];
}

/** Replacements of a Yul expression. */
export function getYulChanges(expression: Node, raw: GetSource): Change[] {
  if (expression.nodeType === "YulLiteral" && getText(expression, "kind") === "number") {
    return [{ kind: "literal", put: `add(${raw(expression)}, 1)` }];
  }
  if (expression.nodeType !== "YulFunctionCall") return [];
  const name = getText(getNode(expression, "functionName"), "name");
  const other = YUL[name];
  if (other === undefined) return [];
  const { start } = getRange(getNode(expression, "functionName"));
  return [
    { kind: "operator", put: `${other}${raw(expression).slice(name.length + start - getRange(expression).start)}` },
  ];
}
