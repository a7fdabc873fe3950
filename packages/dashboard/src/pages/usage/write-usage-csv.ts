import { shownCounts } from '@tollgate/contracts/meters/meters.ts'
import { type Grouped, type LatencyReport, metadataPrefix, type UsageReport } from '../../usage/group-usage.ts'

type Grouping = Pick<UsageReport, 'group_by' | 'keys' | 'members'>
type Cells = (bucket: Grouped) => Array<string | number>

/** Writes a report as CSV: one row per bucket, with exact costs. */
export function writeUsageCsv(report: Grouping & Pick<UsageReport, 'buckets'>): string {
  const [header, cells] = groupColumns(report)
  return writeCsv(
    ['start', ...header, ...shownCounts, 'cost_usd'],
    report.buckets.map((bucket) => [
      bucket.start,
      ...cells(bucket),
      ...shownCounts.map((count) => bucket[count]),
      bucket.cost_usd
    ])
  )
}

/** Writes a report of latency as CSV: one row per bucket, in milliseconds. */
export function writeLatencyCsv(report: Grouping & Pick<LatencyReport, 'buckets'>): string {
  const [header, cells] = groupColumns(report)
  return writeCsv(
    [
      'start',
      ...header,
      'measured_requests',
      'first_byte_p50_ms',
      'first_byte_p95_ms',
      'duration_p50_ms',
      'duration_p95_ms'
    ],
    report.buckets.map((bucket) => [
      bucket.start,
      ...cells(bucket),
      bucket.requests,
      ...[bucket.first_byte_ms, bucket.duration_ms].flatMap(({ p50, p95 }) => [p50, p95])
    ])
  )
}

/** The columns that name the group of a row. The smaller groups together are `others`. */
function groupColumns({ group_by: by, keys = [], members = [] }: Grouping): readonly [header: string[], cells: Cells] {
  const orOthers = (bucket: Grouped, value: string | null | undefined) => (bucket.others ? 'others' : (value ?? ''))
  const named = (names: ReadonlyMap<string, string>, read: (bucket: Grouped) => string | null | undefined): Cells => {
    return (bucket) => [orOthers(bucket, read(bucket)), names.get(read(bucket) ?? '') ?? '']
  }
  if (by === 'model') return [['model'], (bucket) => [orOthers(bucket, bucket.model)]]
  if (by === 'key') {
    return [['key_id', 'key_label'], named(new Map(keys.map(({ id, label }) => [id, label])), ({ key_id: id }) => id)]
  }
  if (by === 'member') {
    const names = new Map(members.map(({ id, name }) => [id, name]))
    return [['member_id', 'member_name'], named(names, ({ member_id: id }) => id)]
  }
  return by.startsWith(metadataPrefix) ? [[by], (bucket) => [orOthers(bucket, bucket.metadata_value)]] : [[], () => []]
}

/** Cells that a spreadsheet would run as a formula. */
const formula = /^[=+\-@\t\r]/

/**
 * Writes rows as CSV (RFC 4180). Cells that look like formulas get a leading quote, because users choose texts such as
 * key labels.
 */
export function writeCsv(header: readonly string[], rows: ReadonlyArray<ReadonlyArray<string | number>>): string {
  return [header, ...rows].map((row) => `${row.map(writeCell).join(',')}\r\n`).join('')
}

function writeCell(cell: string | number): string {
  if (typeof cell === 'number') return String(cell)
  const text = formula.test(cell) ? `'${cell}` : cell
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
