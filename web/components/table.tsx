/** A table that scrolls inside its own box if it is wider than the screen. */
import type { ComponentChildren } from "preact";

export interface Column<Row> {
  /** Unique in its table. */
  readonly key: string;
  readonly title: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** Numbers are right-aligned. */
  readonly isNumber?: boolean;
  /** Left out on a narrow screen. */
  readonly isMinor?: boolean;
}

interface TableProps<Row> {
  /** What the table contains, for screen readers. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly toKey: (row: Row) => string;
}

const toClass = <Row,>({ isNumber, isMinor }: Column<Row>): string =>
  [isNumber ? "cell-number" : "", isMinor ? "cell-minor" : ""].join(" ").trim();

export function Table<Row>({ label, columns, rows, toKey }: TableProps<Row>) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a region would repeat the landmark of the section around it
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reached by the keyboard
    <div class="table-box" role="group" aria-label={label} tabIndex={0}>
      <table class="table">
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.key} scope="col" class={toClass(column)}>
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={toKey(row)}>
              {columns.map((column) => (
                <td key={column.key} class={toClass(column)}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
