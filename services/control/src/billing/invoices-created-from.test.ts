import assert from 'node:assert/strict'
import { test } from 'tap'
import { invoicesCreatedFrom } from './invoices-created-from.ts'

const now = new Date('2026-11-23T12:00:00Z')
const all = '2025-11-01T00:00:00.000Z'
const copy = (startedAt: string, finishedAt: string | null) => ({
  startedAt: new Date(startedAt),
  finishedAt: finishedAt === null ? null : new Date(finishedAt)
})

test('a copy reads what may have been paid since the last complete copy, and more in a new month', async () => {
  const cases: Array<[last: ReturnType<typeof copy> | null, from: string]> = [
    [null, all],
    [copy('2026-11-23T11:00:00Z', null), all],
    [copy('2026-11-23T11:00:00Z', '2026-11-22T11:00:00Z'), all],
    [copy('2026-10-31T23:00:00Z', '2026-10-31T23:01:00Z'), all],
    [copy('2026-11-23T11:00:00Z', '2026-11-23T11:00:00Z'), '2026-09-14T11:00:00.000Z'],
    [copy('2025-11-23T11:00:00Z', '2025-11-23T11:01:00Z'), all]
  ]
  for (const [last, from] of cases) assert.equal(invoicesCreatedFrom(last, now).toISOString(), from)
})
