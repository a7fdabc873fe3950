import assert from 'node:assert/strict'
import t from 'tap'
import { runExactness } from './exactness.ts'
import { kinds } from './kinds/kinds.ts'

// `npm run exactness` sends 10,000 requests, with a new seed each time.
t.test(
  'reported usage is charged to the nanodollar; without a report, the charge covers at least what was produced',
  async (t) => {
    const { endings, faults } = await runExactness(800, 1, 2)
    t.comment(Object.fromEntries(endings))
    assert.deepEqual(faults, [])
    for (const { name } of kinds)
      assert.ok(
        [...endings.keys()].some((ending) => ending.startsWith(`${name}: `)),
        name
      )
  }
)
