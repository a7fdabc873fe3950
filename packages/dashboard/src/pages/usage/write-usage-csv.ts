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
  const header = [
    'start',
    ...group,
    'requests',
    'errors',
    'prompt_tokens',
    'cached_tokens',
    'completion_tokens',
    'cost_usd'
  ]
  const rows = buckets.map((bucket) => [
    bucket.start,
    ...(group_by === 'model' ? [bucket.model ?? ''] : []),
    ...(group_by === 'key' ? [bucket.key_id ?? '', labels.get(bucket.key_id ?? '') ?? ''] : []),
    bucket.requests,
    bucket.errors,
    bucket.prompt_tokens,
    bucket.cached_tokens,
    bucket.completion_tokens,
    bucket.cost_usd
  ])
  return writeCsv(header, rows)
}
