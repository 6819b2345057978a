/** What is changed, in Solidity's expressions and in Yul: the usual operators of mutation testing. */
import { type Node, node, nodes, rangeOf, text, typeOf } from "./ast.ts";

/** One change at one place: `put` stands where the text was. */
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

type Raw = (of: Node) => string;

function changesOfLiteral(literal: Node): Change[] {
  const value = text(literal, "value");
  switch (text(literal, "kind")) {
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

/** Neighbours of one type change places: nothing but a test tells them apart. */
function changesOfArguments(call: Node, raw: Raw): Change[] {
  const given = nodes(call, "arguments");
  if (text(call, "kind") !== "functionCall" || nodes(call, "nameLocations").length > 0) return [];
  if (Array.isArray(call.names) && call.names.length > 0) return [];
  const changes: Change[] = [];
  for (let at = 0; at + 1 < given.length; at += 1) {
    if (typeOf(given[at]!) !== typeOf(given[at + 1]!) || raw(given[at]!) === raw(given[at + 1]!)) continue;
    const order = given.map(raw);
    [order[at], order[at + 1]] = [order[at + 1]!, order[at]!];
    changes.push({ kind: "swapped arguments", put: `${raw(node(call, "expression"))}(${order.join(", ")})` });
  }
  return changes;
}

/** What an expression of Solidity can become. */
export function changesOf(expression: Node, raw: Raw): Change[] {
  switch (expression.nodeType) {
    case "BinaryOperation": {
      const [left, right] = [raw(node(expression, "leftExpression")), raw(node(expression, "rightExpression"))];
      return (BINARY[text(expression, "operator")] ?? []).map((operator) => ({
        kind: "operator",
        put: `(${left}) ${operator} (${right})`,
      }));
    }
    case "UnaryOperation": {
      const inner = raw(node(expression, "subExpression"));
      const operator = text(expression, "operator");
      if (operator === "!" || operator === "~") return [{ kind: "operator", put: inner }];
      return [];
    }
    case "Assignment": {
      const operator = ASSIGNMENT[text(expression, "operator")];
      if (operator === undefined) return [];
      const [left, right] = [raw(node(expression, "leftHandSide")), raw(node(expression, "rightHandSide"))];
      return [{ kind: "operator", put: `${left} ${operator} ${right}` }];
    }
    case "Conditional":
      return [
        { kind: "branch", put: raw(node(expression, "trueExpression")) },
        { kind: "branch", put: raw(node(expression, "falseExpression")) },
      ];
    case "Literal":
      return changesOfLiteral(expression);
    case "FunctionCall": {
      const [only] = nodes(expression, "arguments");
      if (text(expression, "kind") === "typeConversion" && typeOf(expression) === "address" && only?.value === "0") {
        return [{ kind: "literal", put: "address(1)" }];
      }
      return changesOfArguments(expression, raw);
    }
    case "MemberAccess":
      return text(expression, "memberName") === "max" && node(expression, "expression").nodeType === "FunctionCall"
        ? [{ kind: "literal", put: `(${raw(expression)} - 1)` }]
        : [];
    default:
      return [];
  }
}

/** What a condition can become: always, never. */
export const CONDITIONS: readonly Change[] = [
  { kind: "condition", put: "true" },
  { kind: "condition", put: "false" },
];

/** What a returned expression can become: the empty value of its type. */
export function changesOfReturn(expression: Node): Change[] {
  const type = typeOf(expression);
  const empty =
    type === "bool" ? undefined : /^uint\d*$/.test(type) || /^bytes\d+$/.test(type) ? `${type}(0)` : undefined;
  if (type === "address") return [{ kind: "return", put: "address(0)" }];
  return empty === undefined || expression.nodeType === "Literal" ? [] : [{ kind: "return", put: empty }];
}

/** What an expression of Yul can become. */
export function changesOfYul(expression: Node, raw: Raw): Change[] {
  if (expression.nodeType === "YulLiteral" && text(expression, "kind") === "number") {
    return [{ kind: "literal", put: `add(${raw(expression)}, 1)` }];
  }
  if (expression.nodeType !== "YulFunctionCall") return [];
  const name = text(node(expression, "functionName"), "name");
  const other = YUL[name];
  if (other === undefined) return [];
  const { start } = rangeOf(node(expression, "functionName"));
  return [
    { kind: "operator", put: `${other}${raw(expression).slice(name.length + start - rangeOf(expression).start)}` },
  ];
}
