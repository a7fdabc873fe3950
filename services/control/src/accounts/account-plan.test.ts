import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'tap'
import { decidePlanWrite, personalPlan, planByHand } from './account-plan.ts'

test('a plan that control did not write counts as an operator’s; a missing plan does not', async () => {
  assert.equal(planByHand(null, []), null)
  assert.equal(planByHand(null, ['pro']), null)
  assert.equal(planByHand('pro', ['free', 'pro']), null)
  assert.equal(planByHand('pro', ['team']), 'pro')
  assert.equal(planByHand('pro', []), 'pro')
})

test('control replaces its own plan with the intended one, and keeps an operator’s plan', async () => {
  assert.equal(decidePlanWrite(null, { intended: 'team', ours: [] }), 'write')
  assert.equal(decidePlanWrite('free', { intended: 'team', ours: ['free', 'team'] }), 'write')
  assert.equal(decidePlanWrite('team', { intended: 'team', ours: ['team'] }), 'written')
  assert.equal(decidePlanWrite('enterprise', { intended: 'team', ours: ['team'] }), 'by hand')
  assert.equal(decidePlanWrite('team', { intended: 'team', ours: [] }), 'by hand')
})

test('the personal account of a seat has an operator’s plan or the free plan, never the team’s', async () => {
  assert.equal(personalPlan('pro', null, false), 'pro')
  assert.equal(personalPlan(null, null, false), 'free')
  assert.equal(personalPlan('team', { intended: 'team', ours: ['team'] }, true), 'free')
  assert.equal(personalPlan('pro', { intended: 'team', ours: ['team'] }, true), 'pro')
  // The user has left the team, but the provider still has the team's plan.
  assert.equal(personalPlan('team', { intended: 'free', ours: ['team'] }, false), 'free')
  assert.equal(personalPlan(null, { intended: 'pro', ours: ['pro'] }, false), 'pro')
})

const plan = fc.constantFrom('free', 'pro', 'team', 'enterprise')
/** A writer that can stop after any of its steps, and an operator who sets plans at any time. */
const event = fc.oneof(
  fc.record({ is: fc.constant('intend' as const), plan }),
  fc.record({ is: fc.constant('by hand' as const), plan: fc.option(plan) }),
  fc.record({ is: fc.constant('work' as const), steps: fc.nat({ max: 4 }) })
)

test('after a crash of the writer at any step, the result is the last intended plan or an operator’s', async () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 30 }), (events) => {
      let planId: string | null = null
      let byHand: string | null = null
      const row = { intended: 'free', ours: [] as string[] }
      const work = (steps: number) => {
        const verdict = decidePlanWrite(planId, row)
        if (steps > 0 && verdict === 'by hand') row.ours = []
        if (steps > 0 && verdict === 'written') row.ours = [row.intended]
        if (verdict !== 'write') return
        if (steps > 0) row.ours = [...row.ours, row.intended]
        if (steps > 1) planId = row.intended
        if (steps > 2) work(1)
      }
      for (const event of events) {
        if (event.is === 'intend') row.intended = event.plan
        else if (event.is === 'work') work(event.steps)
        // An operator's plan is indistinguishable from the same plan that control wrote.
        else if (event.plan === null || !row.ours.includes(event.plan)) {
          planId = event.plan
          byHand = event.plan
        }
      }
      work(3)
      assert.equal(planId, byHand ?? row.intended)
      assert.equal(personalPlan(planId, row, false), planId)
    })
  )
})
