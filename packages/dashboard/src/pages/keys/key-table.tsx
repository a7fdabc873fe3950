import { type ColumnDef, tableFeatures, useTable } from '@tanstack/react-table'
import { ArrowDown, ArrowUp } from 'lucide-react'
import { type ReactNode, useId, useMemo } from 'react'
import { controlLook } from '../../ui/class-names.ts'
import { ScrollRegion } from '../../ui/scroll-region.tsx'
import { LateSearchField, useLateText } from '../../ui/search-field.tsx'
import { type KeyOrder, type KeysSearch, readTag } from './keys-search.ts'

/** Control sorts, so the table needs no feature for it. */
const features = tableFeatures({})

/** What a header cell needs besides its text. */
interface Sortable {
  /** The order that its button asks for. */
  readonly order: KeyOrder
  readonly isDescending: boolean
}

export interface KeyColumn<Row> {
  readonly name: string
  readonly cell: (row: Row) => ReactNode
  readonly sortable?: Sortable
}

interface KeyTableProps<Row> {
  /** Stable: a new array makes a new table. */
  readonly columns: ReadonlyArray<KeyColumn<Row>>
  readonly rows: readonly Row[]
  readonly order: KeyOrder
  readonly onOrder: (order: KeyOrder) => void
}

/** The keys as a table. The first column names the row. It scrolls sideways on narrow screens. */
export function KeyTable<Row extends { readonly id: string }>({ columns, rows, order, onOrder }: KeyTableProps<Row>) {
  // A new function would be a new component: the cells would lose the focus.
  const definitions = useMemo(
    () =>
      columns.map(
        ({ name, cell }): ColumnDef<typeof features, Row> => ({
          id: name,
          header: name,
          cell: ({ row }) => cell(row.original)
        })
      ),
    [columns]
  )
  const table = useTable({
    features,
    columns: definitions,
    data: rows as Row[],
    getRowId: ({ id }) => id
  })
  const sortableOf = (id: string) => columns.find(({ name }) => name === id)?.sortable
  return (
    <ScrollRegion label="Keys" className="relative wide-table rounded-2xl px-2 pb-2">
      <table className="w-full text-sm">
        <thead>
          {table.getHeaderGroups().map(({ id, headers }) => (
            <tr key={id} className="text-[0.8125rem] text-ink-soft">
              {headers.map((header) => (
                <HeaderCell key={header.id} sortable={sortableOf(header.column.id)} order={order} onOrder={onOrder}>
                  <table.FlexRender header={header} />
                </HeaderCell>
              ))}
            </tr>
          ))}
        </thead>
        <tbody className="divide-y divide-line border-t border-line">
          {table.getRowModel().rows.map((row) => (
            <tr key={row.id}>
              {row.getAllCells().map((cell, at) =>
                at === 0 ? (
                  <th
                    key={cell.id}
                    scope="row"
                    className="max-w-72 min-w-44 px-2.5 py-3 text-left align-top font-normal"
                  >
                    <table.FlexRender cell={cell} />
                  </th>
                ) : (
                  <td key={cell.id} className="max-w-60 px-2.5 py-3 align-top">
                    <table.FlexRender cell={cell} />
                  </td>
                )
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  )
}

interface HeaderCellProps {
  readonly sortable: Sortable | undefined
  readonly order: KeyOrder
  readonly onOrder: (order: KeyOrder) => void
  readonly children: ReactNode
}

function HeaderCell({ sortable, order, onOrder, children }: HeaderCellProps) {
  const look = 'px-2.5 py-2 text-left font-medium whitespace-nowrap'
  if (sortable === undefined) {
    return (
      <th scope="col" className={look}>
        {children}
      </th>
    )
  }
  const isChosen = sortable.order === order
  const Arrow = sortable.isDescending ? ArrowDown : ArrowUp
  return (
    <th
      scope="col"
      aria-sort={isChosen ? (sortable.isDescending ? 'descending' : 'ascending') : 'none'}
      className={look}
    >
      <button
        type="button"
        onClick={() => onOrder(sortable.order)}
        className="-mx-1.5 inline-flex min-h-7 items-center gap-1 rounded px-1.5 hover:text-ink"
      >
        {children}
        <Arrow aria-hidden="true" className={`size-3.5 ${isChosen ? '' : 'opacity-0'}`} />
      </button>
    </th>
  )
}

interface KeyFiltersProps {
  readonly search: KeysSearch
  readonly onChange: (changed: KeysSearch) => void
}

/** Filters, kept in the address. */
export function KeyFilters({ search, onChange }: KeyFiltersProps) {
  return (
    <search className="flex flex-wrap items-center gap-3">
      <LateSearchField
        label="Search keys"
        placeholder="Search by label, tag or first characters"
        text={search.q ?? ''}
        onChange={(q) => onChange({ q })}
      />
      <TagFilter tag={search.tag ?? ''} onChange={(tag) => onChange({ tag })} />
      <label className="flex min-h-10 items-center gap-2 text-sm">
        <input
          type="checkbox"
          checked={search.revoked === '1'}
          onChange={(event) => onChange({ revoked: event.currentTarget.checked ? '1' : '' })}
          className="size-4 accent-accent"
        />
        Show revoked keys
      </label>
    </search>
  )
}

function TagFilter({ tag, onChange }: { readonly tag: string; readonly onChange: (tag: string) => void }) {
  const [typed, setTyped] = useLateText(tag, onChange)
  const problem = useId()
  const isUnclear = typed.trim() !== '' && readTag(typed) === null
  return (
    <>
      <input
        aria-label="Filter by a tag, as name=value"
        placeholder="tenant=acme"
        maxLength={600}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        aria-invalid={isUnclear}
        aria-describedby={isUnclear ? problem : undefined}
        className={`${controlLook} h-10 min-w-0 flex-1 basis-40 font-mono text-sm sm:max-w-60`}
      />
      {isUnclear && (
        <p id={problem} className="order-last basis-full text-[0.8125rem] text-danger">
          To filter by a tag, type its name and its value, such as tenant=acme.
        </p>
      )}
    </>
  )
}
