/** The two methods of a tap test that {@link need} uses. */
interface SkippingTest {
  pass(message: string, extra: { skip: string }): unknown
  fail(message: string): unknown
}

/**
 * Checks that the machine has what a test needs, such as a database server:
 * `if (!need(t, 'PostgreSQL', postgres)) return`.
 *
 * @returns whether `value` is set. If not, the test is reported as skipped. In CI (`CI=true`), where everything is
 * installed, it fails instead.
 */
export function need<Value>(
  t: SkippingTest,
  what: string,
  value: Value,
  env: Record<string, string | undefined> = process.env
): value is NonNullable<Value> {
  if (value !== null && value !== undefined) return true
  const reason = `${what} is not installed on this machine`
  if (env.CI === 'true') t.fail(`${reason}, and CI must not skip`)
  else t.pass(`needs ${what}`, { skip: reason })
  return false
}
