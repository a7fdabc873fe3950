import t from 'tap'
import { runExactness } from './exactness.ts'
import { kinds } from './kinds.ts'

// `npm run exactness` does the same with 10,000, of other seeds.
t.test(
  'requests whose usage is reported are charged to the nanodollar, all others at least what was produced',
  async (t) => {
    const { endings, faults } = await runExactness(600, 1, 2)
    t.comment(Object.fromEntries(endings))
    t.same(faults, [])
    for (const { name } of kinds)
      t.ok(
        [...endings.keys()].some((ending) => ending.startsWith(`${name}: `)),
        name
      )
  }
)
