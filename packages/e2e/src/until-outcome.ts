/**
 * Polls until the answer is the expected one.
 *
 * @returns the different answers in order, and the time it took, ms
 */
export async function untilOutcome(
  ask: () => Promise<string>,
  expected: string,
  timeoutMs = 20_000
): Promise<{ seen: string[]; ms: number }> {
  const startedAt = performance.now()
  const seen: string[] = []
  for (;;) {
    const outcome = await ask()
    if (seen.at(-1) !== outcome) seen.push(outcome)
    const ms = performance.now() - startedAt
    if (outcome === expected) return { seen, ms: Math.round(ms) }
    if (ms > timeoutMs) throw new Error(`the answers were only ${seen.join(', ')}`)
  }
}
