/**
 * The fast-check parameters of slow properties of whole systems. The tests use a fixed seed, so that every run is the
 * same. `PROPERTY_RUNS` tries that many runs with new seeds.
 *
 * @param runs in `npm test`
 * @param runsOfAll in `npm run test:all`
 */
export function propertyRuns(
  runs: number,
  runsOfAll: number = runs,
  env: Record<string, string | undefined> = process.env
): { numRuns: number; seed?: number } {
  const wanted = env.PROPERTY_RUNS
  if (wanted !== undefined) return { numRuns: Number(wanted) }
  return { numRuns: env.TOLLGATE_TEST_ALL === 'true' ? runsOfAll : runs, seed: suiteSeed }
}

const suiteSeed = 20_261_121
