import type { Spread } from '../measure/statistics.ts'

/** A table for a terminal; every row has as many cells as the head. */
export interface Table {
  head: readonly string[]
  rows: ReadonlyArray<readonly string[]>
}

/** Lines of a table: the first column aligned left, the others right, under a rule. */
export function renderTable({ head, rows }: Table): string[] {
  const widths = head.map((cell, column) => Math.max(cell.length, ...rows.map((row) => row[column]!.length)))
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)))
      .join('  ')
      .trimEnd()
  return [line(head), widths.map((width) => '─'.repeat(width)).join('──'), ...rows.map(line)]
}

/** A number with thousands separators and a fixed number of decimals: `12,345.6`. */
export function formatNumber(value: number, decimals: number): string {
  return value.toLocaleString('en-US', { minimumFractionDigits: decimals, maximumFractionDigits: decimals })
}

/** Median and quartiles, as of a ratio: `0.75 (0.74–0.77)`. */
export function formatSpread({ median, lowerQuartile, upperQuartile }: Spread, decimals: number): string {
  const number = (value: number) => formatNumber(value, decimals)
  return `${number(median)} (${number(lowerQuartile)}–${number(upperQuartile)})`
}

/** A share from 0 to 1 as a percentage: `97 %`. */
export function formatShare(share: number): string {
  return `${formatNumber(share * 100, 0)} %`
}
