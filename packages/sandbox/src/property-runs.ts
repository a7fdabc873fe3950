/** Whether `npm run test:all` runs, which tries more of what is slow. */
export const testsAll = process.env.TOLLGATE_TEST_ALL === 'true'

/**
 * The fast-check parameters of slow properties of whole systems. The tests use a fixed seed, so that every run is the
 * same. `PROPERTY_RUNS` tries that many runs with new seeds.
 *
 * @param runs in `npm test`
 * @param runsOfAll in `npm run test:all`
 */
export function propertyRuns(runs: number, runsOfAll: number = runs): { numRuns: number; seed?: number } {
  const wanted = process.env.PROPERTY_RUNS
  if (wanted !== undefined) return { numRuns: Number(wanted) }
  return { numRuns: testsAll ? runsOfAll : runs, seed: suiteSeed }
}

const suiteSeed = 20_261_121
