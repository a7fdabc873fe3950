/**
 * Asks again and again until the answer is the expected one.
 * @returns every different answer on the way, in order, and the time that it took, ms
 */
export async function untilOutcome(
  ask: () => Promise<string>,
  expected: string,
  limitMs = 20_000
): Promise<{ seen: string[]; ms: number }> {
  const startedAt = performance.now()
  const seen: string[] = []
  for (;;) {
    const outcome = await ask()
    if (seen.at(-1) !== outcome) seen.push(outcome)
    const ms = performance.now() - startedAt
    if (outcome === expected) return { seen, ms: Math.round(ms) }
    if (ms > limitMs) throw new Error(`it stays at ${seen.join(', ')}`)
  }
}
