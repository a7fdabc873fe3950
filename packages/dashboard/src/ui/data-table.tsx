import type { ReactNode } from 'react'
import { ScrollRegion } from './scroll-region.tsx'

export interface Column<Row> {
  readonly name: string
  readonly show: (row: Row) => ReactNode
  /** Numbers stand at the right. */
  readonly isNumber?: boolean
}

interface DataTableProps<Row> {
  /** The accessible name of the table. */
  readonly label: string
  /** The first column names the row. */
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string
}

/** A table at the bottom of a flush card. It scrolls sideways if it is too wide. */
export function DataTable<Row>({ label, columns, rows, keyOf }: DataTableProps<Row>) {
  const [first, ...others] = columns
  return (
    // Positioned, so that texts for screen readers inside do not widen the page.
    <ScrollRegion label={label} className="relative wide-table rounded-2xl px-2 pb-2">
      <table className="w-full text-sm">
        <thead>
          <tr className="text-[0.8125rem] text-ink-soft">
            {columns.map(({ name, isNumber }) => (
              <th
                key={name}
                scope="col"
                className={`px-3 py-2 font-medium whitespace-nowrap ${isNumber ? 'text-right' : 'text-left'}`}
              >
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-line border-t border-line">
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              <th scope="row" className="max-w-72 min-w-32 px-3 py-2.5 text-left align-top font-medium break-words">
                {first?.show(row)}
              </th>
              {others.map(({ name, show, isNumber }) => (
                <td
                  key={name}
                  className={`px-3 py-2.5 align-top ${isNumber ? 'text-right whitespace-nowrap tabular-nums' : ''}`}
                >
                  {show(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  )
}

type Fact = readonly [name: string, value: ReactNode]

/** Names with their values. */
export function Facts({ facts }: { readonly facts: readonly Fact[] }) {
  return (
    <dl className="grid grid-cols-2 gap-x-6 gap-y-4 text-sm lg:grid-cols-3">
      {facts.map(([name, value]) => (
        <div key={name} className="min-w-0">
          <dt className="text-[0.8125rem] text-ink-soft">{name}</dt>
          <dd className="mt-0.5 break-words">{value}</dd>
        </div>
      ))}
    </dl>
  )
}
