import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'tap'
import { overrideEndsAt, planOf, withoutEnded } from './budgets.ts'
import { type AccountRecord, readAccountRecord } from './records.ts'

const until = fc.option(fc.nat({ max: 100 }))
const override = fc.record(
  {
    plan: fc.record({ id: fc.constant('team'), until }, { noNullPrototype: true }),
    limits: fc.record({ monthlyNanos: fc.nat(), until }, { noNullPrototype: true })
  },
  { requiredKeys: [], noNullPrototype: true }
)
const records: fc.Arbitrary<AccountRecord> = fc.record(
  {
    plan: fc.constant('free'),
    status: fc.constant('active' as const),
    ownCapNanos: fc.constant(null),
    override
  },
  { requiredKeys: ['plan', 'status', 'ownCapNanos'], noNullPrototype: true }
)

test('an override applies until its end, and then the account has its own plan and limits again', async () => {
  fc.assert(
    fc.property(records, fc.nat({ max: 100 }), (record, now) => {
      const left = withoutEnded(record, now)
      assert.deepEqual(readAccountRecord(JSON.stringify(left)), left)
      const isOver = (end: number | null | undefined) => end === undefined || (end !== null && end <= now)
      assert.equal(planOf(left), isOver(record.override?.plan?.until) ? 'free' : 'team')
      assert.equal(left.override?.limits === undefined, isOver(record.override?.limits?.until))
      const endsAt = overrideEndsAt(left)
      assert.ok(endsAt === null || endsAt > now)
    })
  )
})

test('the first of two ends counts', async () => {
  const record = (plan: number | null, limits: number | null): AccountRecord => ({
    plan: 'free',
    status: 'active',
    ownCapNanos: null,
    override: { plan: { id: 'team', until: plan }, limits: { until: limits } }
  })
  assert.equal(overrideEndsAt(record(5, 9)), 5)
  assert.equal(overrideEndsAt(record(9, 5)), 5)
  assert.equal(overrideEndsAt(record(null, 5)), 5)
  assert.equal(overrideEndsAt(record(5, null)), 5)
  assert.equal(overrideEndsAt(record(null, null)), null)
})
