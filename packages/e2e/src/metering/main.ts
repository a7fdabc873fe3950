import { parseArgs } from 'node:util'
import { runExactness } from './exactness.ts'

/** `npm run exactness`: requests of all kinds, and whether each was charged what the model server says it produced. */
const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '10000' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) }
  }
})
const [requests, seed] = [Number(values.requests), Number(values.seed)]
console.log(`${requests} requests; again with --seed ${seed}`)
const startedAt = performance.now()
const { endings, faults } = await runExactness(requests, seed, 2)
for (const [ending, count] of [...endings].sort(([one], [other]) => one.localeCompare(other))) {
  console.log(`  ${ending}: ${count}`)
}
console.log(`${faults.length} charged wrongly, in ${Math.round((performance.now() - startedAt) / 1000)} s`)
for (const fault of faults) console.log(`  ${fault}`)
process.exitCode = faults.length === 0 ? 0 : 1
