/** A cell that a spreadsheet would take for a formula. */
const formula = /^[=+\-@\t\r]/

/**
 * Rows as CSV (RFC 4180). Text that people chose, such as the label of a key, stays text in a spreadsheet: it would run a
 * formula otherwise.
 */
export function writeCsv(header: readonly string[], rows: ReadonlyArray<ReadonlyArray<string | number>>): string {
  return [header, ...rows].map((row) => `${row.map(writeCell).join(',')}\r\n`).join('')
}

function writeCell(cell: string | number): string {
  if (typeof cell === 'number') return String(cell)
  const text = formula.test(cell) ? `'${cell}` : cell
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
