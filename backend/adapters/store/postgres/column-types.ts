/**
 * The column types of PostgreSQL for those that the migrations name: SQLite's integers have 64 bits, its text compares
 * byte by byte in every locale, and its binary type is called blob.
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

/** A plugin that replaces the types of new columns. It copies no other statement, which takes as long as to make it. */
export function createColumnTypePlugin(): KyselyPlugin {
  const transformer = new ColumnTypeTransformer();
  return {
    transformQuery: ({ node, queryId }: PluginTransformQueryArgs) =>
      DEFINES_COLUMNS.has(node.kind) ? transformer.transformNode(node, queryId) : node,
    transformResult: async ({ result }) => result,
  };
}
