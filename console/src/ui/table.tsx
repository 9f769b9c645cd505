import type { ReactNode } from 'react'
import { cx } from '#console/lib/cx.ts'

export type Column<Row> = {
  key: string
  label: string
  draw(row: Row): ReactNode
  align?: 'left' | 'right'
  /** Hidden below 768 px, where a row shows only what matters. */
  wideOnly?: boolean
  /** The column that names the row: a row header for screen readers. */
  names?: boolean
  /** Only read out by screen readers, as for a column of buttons. */
  hideLabel?: boolean
  className?: string
}

type TableProps<Row> = {
  /** What the table lists; read out, not shown. */
  caption: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  rowKey(row: Row): string
  /** Marks a row, such as the one whose details are open. */
  isSelected?(row: Row): boolean
}

export function Table<Row>({ caption, columns, rows, rowKey, isSelected }: TableProps<Row>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what may scroll sideways must be reachable
    <section className="overflow-x-auto" tabIndex={0} aria-label={caption}>
      <table className="w-full border-collapse text-left text-base">
        <caption className="sr-only">{caption}</caption>
        <thead>
          <tr className="border-line border-b">
            {columns.map((column) => (
              <th
                key={column.key}
                scope="col"
                className={cx(cellClass(column), 'h-9 font-normal text-soft text-sm')}
              >
                <span className={cx(column.hideLabel && 'sr-only')}>{column.label}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr
              key={rowKey(row)}
              aria-selected={isSelected?.(row) || undefined}
              className="border-line border-b last:border-b-0 hover:bg-sunken/50 aria-selected:bg-sunken"
            >
              {columns.map((column) =>
                column.names ? (
                  <th
                    key={column.key}
                    scope="row"
                    className={cx(cellClass(column), 'py-2.5 font-normal')}
                  >
                    {column.draw(row)}
                  </th>
                ) : (
                  <td key={column.key} className={cx(cellClass(column), 'py-2.5')}>
                    {column.draw(row)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

const cellClass = <Row,>({ align, wideOnly, className }: Column<Row>): string =>
  cx(
    'px-3 align-middle first:pl-5 last:pr-5',
    align === 'right' && 'text-right',
    wideOnly && 'max-md:hidden',
    className,
  )
