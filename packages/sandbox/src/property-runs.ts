/**
 * How often properties of whole systems are tried, whose single runs take long. The test suite is the same for everybody
 * and every time: whoever sets `PROPERTY_RUNS` looks for what it does not find.
 *
 * @param usual runs in the test suite
 * @returns parameters for fast-check
 */
export function propertyRuns(
  usual: number,
  env: Record<string, string | undefined> = process.env
): { numRuns: number; seed?: number } {
  const wanted = env.PROPERTY_RUNS
  return wanted === undefined ? { numRuns: usual, seed: suiteSeed } : { numRuns: Number(wanted) }
}

const suiteSeed = 20_261_121
