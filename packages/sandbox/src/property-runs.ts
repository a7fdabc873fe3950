/**
 * The fast-check parameters of slow properties of whole systems. The test suite uses a fixed seed, so that every run is
 * the same. `PROPERTY_RUNS` tries that many runs with new seeds.
 *
 * @param defaultRuns runs in the test suite
 */
export function propertyRuns(
  defaultRuns: number,
  env: Record<string, string | undefined> = process.env
): { numRuns: number; seed?: number } {
  const wanted = env.PROPERTY_RUNS
  return wanted === undefined ? { numRuns: defaultRuns, seed: suiteSeed } : { numRuns: Number(wanted) }
}

const suiteSeed = 20_261_121
