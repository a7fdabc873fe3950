import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'

const providerCodes: ReadonlySet<string> = new Set(['payments_unavailable', 'identity_unavailable'])

/** The status with which a provider answered the call that made a request fail; null if it gave no answer. */
export function providerStatusOf(failure: ServiceError): number | null {
  return providerCodes.has(failure.code) ? findStatus(failure.cause) : null
}

function findStatus(error: unknown): number | null {
  return error instanceof Error ? (ownStatus(error) ?? findStatus(error.cause)) : null
}

/** The status of a provider's answer in an error of Stripe's or Supabase's client; null in other errors. */
export function ownStatus(error: Error): number | null {
  // Our own errors have the status of our answer.
  if (error instanceof ServiceError) return null
  const { status, statusCode } = error as { status?: unknown; statusCode?: unknown }
  return [status, statusCode].find((found): found is number => typeof found === 'number' && found > 0) ?? null
}
