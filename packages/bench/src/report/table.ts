import type { Spread } from '../measure/statistics.ts'

/** A table for a terminal. Every row has as many cells as the head. */
export interface Table {
  head: readonly string[]
  rows: ReadonlyArray<readonly string[]>
}

/** The lines of a table: head, rule, rows. The first column is aligned left, the others right. */
export function renderTable({ head, rows }: Table): string[] {
  const widths = head.map((cell, column) => Math.max(cell.length, ...rows.map((row) => row[column]!.length)))
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)))
      .join('  ')
      .trimEnd()
  return [line(head), widths.map((width) => '─'.repeat(width)).join('──'), ...rows.map(line)]
}

/** Formats a number with thousands separators and fixed decimals: `12,345.6`. */
export function formatNumber(value: number, decimals: number): string {
  return value.toLocaleString('en-US', { minimumFractionDigits: decimals, maximumFractionDigits: decimals })
}

/** Formats a median with its quartiles: `0.75 (0.74–0.77)`. */
export function formatSpread({ median, lowerQuartile, upperQuartile }: Spread, decimals: number): string {
  const number = (value: number) => formatNumber(value, decimals)
  return `${number(median)} (${number(lowerQuartile)}–${number(upperQuartile)})`
}

/** Formats a share from 0 to 1 as a percentage: `97 %`. */
export function formatShare(share: number): string {
  return `${formatNumber(share * 100, 0)} %`
}
