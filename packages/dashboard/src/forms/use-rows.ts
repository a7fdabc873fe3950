import { type RefObject, useRef, useState } from 'react'
import { flushSync } from 'react-dom'

export interface Row<Value> {
  /** Unique among all rows that the list ever had. */
  readonly id: number
  readonly value: Value
}

export interface Rows<Value> {
  readonly rows: ReadonlyArray<Row<Value>>
  readonly add: (value: Value) => void
  readonly remove: (place: number) => void
  /** For the element around the rows, and the button that adds one. */
  readonly list: RefObject<HTMLDivElement | null>
  readonly adder: RefObject<HTMLButtonElement | null>
}

/**
 * The rows of a list that can grow and shrink. A change moves the focus to a row, or to the button that adds one: the
 * element that had it may be gone.
 *
 * @param begin the values of the first rows
 * @param focusOn a selector of the control that gets the focus; each row has one
 */
export function useRows<Value>(begin: () => readonly Value[], focusOn: string): Rows<Value> {
  const [rows, setRows] = useState(() => begin().map((value, id) => ({ id, value })))
  const nextId = useRef(rows.length)
  const list = useRef<HTMLDivElement>(null)
  const adder = useRef<HTMLButtonElement>(null)
  const show = (next: Array<Row<Value>>, place: number) => {
    flushSync(() => setRows(next))
    const controls = list.current?.querySelectorAll<HTMLElement>(focusOn) ?? []
    const target = controls[Math.min(place, controls.length - 1)] ?? adder.current
    target?.focus()
  }
  return {
    rows,
    list,
    adder,
    add: (value) => {
      nextId.current += 1
      show([...rows, { id: nextId.current, value }], rows.length)
    },
    remove: (place) => show(rows.toSpliced(place, 1), place)
  }
}
