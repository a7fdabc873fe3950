/**
 * Refuses to run in production. Embedded servers are for development and tests: their credentials are published and
 * their answers are fake. Every program that starts one calls this first.
 *
 * @throws Error that names NODE_ENV, if it is `production`
 */
export function refuseProduction(env: Record<string, string | undefined>): void {
  if (env.NODE_ENV === 'production') {
    throw new Error('NODE_ENV is "production": the sandbox servers are for development and tests only.')
  }
}
