import { parseArgs } from 'node:util'
import { fuzzAnswers } from './fuzz-answers.ts'
import { fuzzArrivals } from './fuzz-arrivals.ts'
import { fuzzBodies } from './fuzz-bodies.ts'
import { fuzzFloods } from './fuzz-floods.ts'
import { fuzzRequests } from './fuzz-requests.ts'

/** `npm run fuzz`: mutated requests, bodies that lie about themselves, floods, and mutated answers of an upstream, as many as asked for. */
const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '20000' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) }
  }
})
/** A flood is up to 2 MB, and the gateway ends its connection: it takes as long as many others. */
const floodsShare = 20
const [runs, seed] = [Number(values.runs), Number(values.seed)]
console.log(`${runs} of each; again with --seed ${seed}`)
for (const [name, fuzz] of [
  ['requests', fuzzRequests],
  ['answers', fuzzAnswers],
  ['bodies', fuzzBodies],
  ['arrivals', fuzzArrivals],
  ['floods', fuzzFloods]
] as const) {
  const startedAt = performance.now()
  const outcomes = await fuzz(name === 'floods' ? Math.ceil(runs / floodsShare) : runs, seed)
  console.log(`${name}: ${Math.round((performance.now() - startedAt) / 1000)} s`)
  for (const [outcome, count] of [...outcomes].sort((a, b) => b[1] - a[1])) console.log(`  ${outcome}: ${count}`)
}
