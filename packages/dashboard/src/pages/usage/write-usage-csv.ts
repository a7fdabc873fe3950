import type { Answer } from '../../api/call.ts'
import { writeCsv } from '../../usage/write-csv.ts'

/**
 * A report as it was answered: a row for each bucket, costs exactly.
 *
 * @param labels of keys, by their ids
 */
export function writeUsageCsv(
  { group_by, buckets }: Pick<Answer<'getUsage'>, 'group_by' | 'buckets'>,
  labels: ReadonlyMap<string, string>
): string {
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
