/** Why a sign-in with a provider failed: the `error` that control puts into the address of the sign-in page. */
const failures = {
  provider_denied: {
    title: 'You cancelled the sign-in',
    text: 'Try again, or sign in with your password.'
  },
  provider_expired: {
    title: 'Start the sign-in again',
    text: 'It took too long, or it began in another browser.'
  },
  provider_failed: {
    title: 'The sign-in failed',
    text: 'Try again. If it keeps failing, sign in with your password.'
  },
  provider_address: {
    title: 'Your e-mail address is not verified there',
    text: 'The provider has not verified your e-mail address. Verify it there, then try again. You can also register here, with a password.'
  },
  provider_closed: {
    title: 'New registrations are closed',
    text: 'Ask the operator of this service for an account.'
  },
  identity_unavailable: {
    title: 'Signing in is not possible right now',
    text: 'Try again in a few seconds.'
  },
  too_many_requests: {
    title: 'Too many attempts',
    text: 'Wait a minute, then try again.'
  }
} as const

export type ProviderFailure = keyof typeof failures

export const isProviderFailure = (text: unknown): text is ProviderFailure =>
  typeof text === 'string' && Object.hasOwn(failures, text)

export const explainProviderFailure = (failure: ProviderFailure) => failures[failure]
