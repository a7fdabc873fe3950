import assert from 'node:assert/strict'
import { test } from 'tap'
import { emptyBucket } from '../../usage/testing/empty-bucket.ts'
import { readUsageSearch } from './usage-search.ts'
import { writeUsageCsv } from './write-usage-csv.ts'

const bucket = {
  ...emptyBucket,
  key_id: 'key_1',
  requests: 3,
  errors: 1,
  prompt_tokens: 20,
  cached_tokens: 5,
  completion_tokens: 7,
  reasoning_tokens: 2,
  cost_usd: '0.000000123'
}

test('an export has exact numbers and the labels of keys', async () => {
  assert.equal(
    writeUsageCsv({
      group_by: 'key',
      buckets: [bucket],
      keys: [{ id: 'key_1', label: 'My, key', prefix: 'tg_abcde' }]
    }),
    'start,key_id,key_label,requests,errors,prompt_tokens,cached_tokens,completion_tokens,reasoning_tokens,cache_write_tokens,long_cache_write_tokens,audio_input_tokens,image_input_tokens,audio_output_tokens,image_output_tokens,tool_calls,cost_usd\r\n' +
      '2026-05-05T00:00:00.000Z,key_1,"My, key",3,1,20,5,7,2,0,0,0,0,0,0,0,0.000000123\r\n'
  )
  const { key_id, ...plain } = bucket
  assert.match(writeUsageCsv({ group_by: 'none', buckets: [plain] }), /^start,requests,/)
  assert.match(
    writeUsageCsv({ group_by: 'model', buckets: [{ ...plain, model: 'gpt-4o' }] }),
    /^start,model,.*\r\n2026-05-05T00:00:00\.000Z,gpt-4o,3,/
  )
})

test('only known search parameters are read', async () => {
  assert.deepEqual(readUsageSearch({ range: 'week', by: 'key', show: 'tokens' }), {
    range: 'week',
    by: 'key',
    show: 'tokens'
  })
  assert.deepEqual(readUsageSearch({ range: 'century', by: '<script>', show: '', other: '1' }), {})
})
