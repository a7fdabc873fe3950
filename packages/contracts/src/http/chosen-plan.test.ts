import assert from 'node:assert/strict'
import { test } from 'tap'
import { chosenPlanOf, chosenPlanPath } from './chosen-plan.ts'
import { isReturnPath } from './return-path.ts'

test('sign-in returns to the plan that somebody chose, whatever its id is', async () => {
  for (const plan of ['pro', 'Größe & mehr', '../evil?x=//a']) {
    for (const interval of ['month', 'year'] as const) {
      const path = chosenPlanPath({ plan, interval })
      assert.ok(isReturnPath(path), path)
      assert.deepEqual(chosenPlanOf(path), { plan, interval })
    }
  }
})

test('other addresses choose no plan', async () => {
  for (const path of [
    undefined,
    '/dashboard/billing',
    '/dashboard/billing?plan=pro',
    '/dashboard/billing?plan=&interval=month',
    '/dashboard/billing?plan=pro&interval=day',
    '/dashboard?plan=pro&interval=month'
  ]) {
    assert.equal(chosenPlanOf(path), undefined, path)
  }
})
