import assert from 'node:assert/strict'
import { loadCatalogFile } from '@tollgate/service/catalog/catalog-file.ts'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import fc from 'fast-check'
import { test } from 'tap'
import { testCatalog } from '../keys/testing/catalog.ts'
import { checkKeyChange, keyChangeLimit } from './key-change-limit.ts'

const hourMs = 3_600_000
const limit = { perHour: 30, burst: 10 }

/** Makes as many changes as possible at a time. @returns how many, and when they no longer count */
function changesAt(until: number, now: number, of = limit): { count: number; until: number } {
  for (let count = 0; ; count++) {
    const checked = checkKeyChange(of, until, now)
    if ('waitMs' in checked) return { count, until }
    until = checked.until
  }
}

test('an account may make a burst of changes at once, then the plan’s number per hour', async () => {
  const { count, until } = changesAt(0, 1e12)
  assert.equal(count, 10)
  assert.deepEqual(checkKeyChange(limit, until, 1e12), { waitMs: hourMs / 30 })
  assert.equal(changesAt(until, 1e12 + hourMs / 30).count, 1)
  assert.equal(changesAt(until, 1e12 + hourMs).count, 10)
})

test('no hour has more changes than the burst plus the hourly limit', async () => {
  const waits = fc.array(fc.nat({ max: 600_000 }), { minLength: 1, maxLength: 300 })
  fc.assert(
    fc.property(waits, (pauses) => {
      const made: number[] = []
      let now = 1e12
      let until = 0
      for (const pause of pauses) {
        now += pause
        const all = changesAt(until, now)
        until = all.until
        made.push(...Array.from({ length: all.count }, () => now))
      }
      for (const from of made) {
        assert.ok(made.filter((at) => at >= from && at < from + hourMs).length <= limit.perHour + limit.burst)
      }
    })
  )
})

test('after any clock change, one change passes, and the next waits for at most one interval', async () => {
  const checked = checkKeyChange(limit, 9e15, 1e12)
  assert.ok('until' in checked)
  const next = checkKeyChange(limit, checked.until, 1e12)
  assert.ok('waitMs' in next && next.waitMs <= hourMs / 30)
})

test('a plan without a limit gets one from its key quota', async () => {
  const withQuota = (keyQuota: number | null) =>
    keyChangeLimit({ ...testCatalog, plans: { free: { ...testCatalog.plans.free!, keyQuota } } }, 'free')
  assert.deepEqual(withQuota(1), { perHour: 30, burst: 10 })
  assert.deepEqual(withQuota(50), { perHour: 500, burst: 100 })
  assert.deepEqual(withQuota(null), { perHour: 36_000, burst: 6000 })
})

test('each shipped plan has its own limit, and a better plan allows more', async () => {
  const catalog = loadCatalogFile(workspaceFile('deploy/catalog.yaml'))
  const limits = ['free', 'pro', 'team', 'enterprise'].map((plan) => keyChangeLimit(catalog, plan).perHour)
  assert.deepEqual(limits, [30, 60, 300, 36_000])
})
