import assert from 'node:assert/strict'
import { test } from 'tap'
import type { Kind, SoakContext } from './kinds.ts'
import { chooseKind, startLoad } from './run-load.ts'

const kind = (name: string, weight: number, run: Kind['run']): Kind => ({ name, failure: null, weight, run })
const context = {} as SoakContext

test('requests are counted by kind and outcome, and errors count as unexpected, with examples', async () => {
  let calls = 0
  const { promise: enough, resolve } = Promise.withResolvers<void>()
  const kinds = [
    kind('right', 1, async () => {
      await new Promise((resolve) => setImmediate(resolve))
      if (++calls === 20) resolve()
      return 'right answer'
    }),
    kind('wrong', 1, async () => {
      await new Promise((resolve) => setImmediate(resolve))
      throw new TypeError('fetch\nfailed', { cause: new Error('reset') })
    })
  ]
  const load = startLoad(kinds, context, 3)
  await enough
  await load.stop()
  const [right, wrong] = [load.tallies.get(kinds[0]!)!, load.tallies.get(kinds[1]!)!]
  assert.equal(right.outcomes['right answer'], right.requests)
  assert.ok(wrong.requests > 0)
  assert.equal(wrong.outcomes.unexpected, wrong.requests)
  assert.deepEqual(wrong.examples, ['TypeError: fetch failed (reset)'])
  assert.equal(load.total, right.requests + wrong.requests)
})

test('kinds are chosen by their weights', async () => {
  const kinds = [1, 3].map((weight) => kind(`weight ${weight}`, weight, async () => 'right answer'))
  const names = [0, 0.2499, 0.25, 0.9999].map((at) => chooseKind(kinds, at).name)
  assert.deepEqual(names, ['weight 1', 'weight 1', 'weight 3', 'weight 3'])
})
