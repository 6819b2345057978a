/**
 * PostgreSQL's column types for those in the migrations: SQLite's integers have 64 bits, its text compares byte by byte
 * in every locale, and its binary type is called blob.
 */
import {
  type ColumnDefinitionNode,
  type DataTypeNode,
  type KyselyPlugin,
  OperationNodeTransformer,
  type PluginTransformQueryArgs,
  RawNode,
} from "kysely";

const POSTGRES_TYPES: Readonly<Record<string, string>> = {
  integer: "bigint",
  text: 'text collate "C"',
  blob: "bytea",
};

class ColumnTypeTransformer extends OperationNodeTransformer {
  protected override transformColumnDefinition(node: ColumnDefinitionNode): ColumnDefinitionNode {
    const column = super.transformColumnDefinition(node);
    if (column.dataType.kind !== "DataTypeNode") return column;
    const type = POSTGRES_TYPES[(column.dataType as DataTypeNode).dataType];
    return type === undefined ? column : { ...column, dataType: RawNode.createWithSql(type) };
  }
}

const DEFINES_COLUMNS: ReadonlySet<string> = new Set(["CreateTableNode", "AlterTableNode"]);

/**
 * A plugin that replaces the types of new columns. It does not copy other statements, which takes as long as building
 * them.
 */
export function createColumnTypePlugin(): KyselyPlugin {
  const transformer = new ColumnTypeTransformer();
  return {
    transformQuery: ({ node, queryId }: PluginTransformQueryArgs) =>
      DEFINES_COLUMNS.has(node.kind) ? transformer.transformNode(node, queryId) : node,
    transformResult: async ({ result }) => result,
  };
}
