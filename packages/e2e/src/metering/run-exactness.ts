import { parseArgs } from 'node:util'
import { runExactness } from './exactness.ts'
import { kinds } from './kinds/kinds.ts'
import { plainBook, soldBook } from './price-books.ts'

/**
 * `npm run exactness`: sends requests of all kinds, and compares each charge with the model server's records. With
 * `--sold`, accounts pay other prices than the providers bill.
 */
const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '10000' },
    sold: { type: 'boolean', default: false },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) }
  }
})
/** So many requests are of each kind at least once. */
const enoughRequests = 800
const [requests, seed] = [Number(values.requests), Number(values.seed)]
console.log(`${requests} requests; repeat with --seed ${seed}${values.sold ? ' --sold' : ''}`)
const startedAt = performance.now()
const { endings, faults } = await runExactness(requests, seed, 2, values.sold ? soldBook : plainBook)
for (const [ending, count] of [...endings].sort(([one], [other]) => one.localeCompare(other))) {
  console.log(`  ${ending}: ${count}`)
}
console.log(`${faults.length} wrong charges in ${Math.round((performance.now() - startedAt) / 1000)} s`)
for (const fault of faults) console.log(`  ${fault}`)
const sent = [...endings.keys()]
const missing = kinds.filter(({ name }) => !sent.some((ending) => ending.startsWith(`${name}: `)))
const isVacuous = requests >= enoughRequests && missing.length > 0
if (isVacuous) console.log(`no request was of these kinds: ${missing.map(({ name }) => name).join(', ')}`)
process.exitCode = faults.length === 0 && !isVacuous ? 0 : 1
