import { parseArgs } from 'node:util'
import { fuzzAnswers } from './fuzz-answers.ts'
import { fuzzArrivals, fuzzFloods } from './fuzz-arrivals.ts'
import { fuzzBodies } from './fuzz-bodies.ts'
import { fuzzRequests } from './fuzz-requests.ts'

/** `npm run fuzz`: sends mutated requests, hard and wrongly declared bodies, floods, and mutated upstream answers. */
const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '20000' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) }
  }
})
/** One flood takes as long as this many requests: it has up to 2 MB. */
const requestsPerFlood = 20
/** With so many runs, each outcome below occurs. Without it, the run proves nothing of it. */
const enoughRuns = 1000
const answers = ['whole', 'stream', 'invalid answer: 502', 'stream, broken']
const answersOfAll = ['chat', 'responses', 'messages'].flatMap((api) => answers.map((kind) => `${api}: ${kind}`))
const [runs, seed] = [Number(values.runs), Number(values.seed)]
console.log(`${runs} runs of each kind. Repeat them with --seed ${seed}`)
for (const [name, fuzz, expected] of [
  ['requests', fuzzRequests, ['200', '400']],
  ['answers', fuzzAnswers, answersOfAll],
  ['bodies', fuzzBodies, ['200', '400']],
  ['arrivals', fuzzArrivals, ['200', '400', '408', '413', '415']],
  ['floods', fuzzFloods, []]
] as const) {
  const startedAt = performance.now()
  const outcomes = await fuzz(name === 'floods' ? Math.ceil(runs / requestsPerFlood) : runs, seed)
  console.log(`${name}: ${Math.round((performance.now() - startedAt) / 1000)} s`)
  for (const [outcome, count] of [...outcomes].sort((a, b) => b[1] - a[1])) console.log(`  ${outcome}: ${count}`)
  const seen = new Set([...outcomes.keys()].map(String))
  const missing = expected.filter((outcome) => !seen.has(outcome))
  if (runs >= enoughRuns && missing.length > 0) throw new Error(`${name}: never seen: ${missing.join(', ')}`)
}
