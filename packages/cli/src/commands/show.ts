import type { Input } from './action.ts'
import type { CommandIo } from './command.ts'

/** Prints a result: as JSON if asked for, else as text for people. */
export function show(input: Input, io: CommandIo, result: unknown, toText: () => string): void {
  io.out(input.isJson ? `${JSON.stringify(result)}\n` : `${toText()}\n`)
}

/**
 * Aligns the cells of rows. The first row has the titles.
 *
 * @param empty what is shown if there is only the first row
 */
export function table(rows: ReadonlyArray<readonly unknown[]>, empty: string): string {
  if (rows.length < 2) return empty
  const texts = rows.map((row) => row.map((cell) => printable(String(cell ?? '-'))))
  const widths = texts[0]!.map((_title, column) => Math.max(...texts.map((row) => row[column]!.length)))
  return texts
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd()
    )
    .join('\n')
}

/** Aligns names and values. */
export function pairs(values: ReadonlyArray<readonly [string, unknown]>): string {
  const width = Math.max(...values.map(([name]) => name.length))
  return values.map(([name, value]) => `${name.padEnd(width)}  ${printable(String(value ?? '-'))}`).join('\n')
}

/** Customers choose names and labels: a control character in one could change what a terminal shows. */
export const printable = (text: string): string => text.replace(/[\p{Cc}\p{Bidi_Control}]/gu, '�')
