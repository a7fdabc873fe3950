/** Cells that a spreadsheet would run as a formula. */
const formula = /^[=+\-@\t\r]/

/**
 * Writes rows as CSV (RFC 4180). Cells that look like formulas get a leading quote, because users choose texts such as key
 * labels.
 */
export function writeCsv(header: readonly string[], rows: ReadonlyArray<ReadonlyArray<string | number>>): string {
  return [header, ...rows].map((row) => `${row.map(writeCell).join(',')}\r\n`).join('')
}

function writeCell(cell: string | number): string {
  if (typeof cell === 'number') return String(cell)
  const text = formula.test(cell) ? `'${cell}` : cell
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
