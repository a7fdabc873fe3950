import { shownCounts } from '@tollgate/contracts/usage/usage-counters.ts'
import type { UsageReport } from '../../usage/group-usage.ts'
import { writeCsv } from '../../usage/write-csv.ts'

/** Writes a report as CSV: one row per bucket, with exact costs. */
export function writeUsageCsv({
  group_by,
  buckets,
  keys = []
}: Pick<UsageReport, 'group_by' | 'buckets' | 'keys'>): string {
  const labels = new Map(keys.map(({ id, label }) => [id, label]))
  const group = { model: ['model'], key: ['key_id', 'key_label'], none: [] }[group_by]
  const header = ['start', ...group, ...shownCounts, 'cost_usd']
  const rows = buckets.map((bucket) => [
    bucket.start,
    ...(group_by === 'model' ? [bucket.model ?? ''] : []),
    ...(group_by === 'key' ? [bucket.key_id ?? '', labels.get(bucket.key_id ?? '') ?? ''] : []),
    ...shownCounts.map((count) => bucket[count]),
    bucket.cost_usd
  ])
  return writeCsv(header, rows)
}
