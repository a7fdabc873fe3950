import assert from 'node:assert/strict'
import { test } from 'tap'
import { judgeClocks } from './clocks.ts'

const hour = 3_600_000
const names = ['Redis', 'PostgreSQL', 'Stripe']
const cases: Array<[name: string, skews: number[], wrong: string[]]> = [
  ['clocks that agree are right', [200, -800, 1500], []],
  ['no other clock tells nothing', [], []],
  ['one of several clocks is wrong', [hour, 0, 300], ['Redis is 3600 s ahead of']],
  [
    'the clock of this machine is wrong if the others agree',
    [hour, hour + 500, hour],
    ['this machine is 3600 s behind']
  ],
  ['of two clocks, one is named', [-hour], ['this machine is 3600 s ahead of']]
]

for (const [name, skews, wrong] of cases) {
  test(name, async () => {
    const clocks = skews.map((skewMs, index) => ({ name: names[index]!, skewMs }))
    const errors = judgeClocks(clocks).filter(({ severity }) => severity === 'error')
    assert.equal(errors.length, wrong.length)
    for (const [index, text] of wrong.entries()) assert.ok(errors[index]!.what.includes(text), errors[index]!.what)
  })
}
