import Stripe from 'stripe'

/** Makes a client whose calls all end when the signal aborts. */
export type StripeClient = (signal: AbortSignal) => Stripe

export function createStripeClient(secretKey: string, apiBase: string): StripeClient {
  const { protocol, hostname, port } = new URL(apiBase)
  return (signal) =>
    new Stripe(secretKey, {
      host: hostname,
      protocol: protocol === 'http:' ? 'http' : 'https',
      ...(port !== '' && { port }),
      maxNetworkRetries: 1,
      telemetry: false,
      httpClient: Stripe.createFetchHttpClient((input: string | URL | Request, init: RequestInit = {}) =>
        fetch(input, { ...init, signal: AbortSignal.any([signal, ...(init.signal ? [init.signal] : [])]) })
      )
    })
}

/** The provider's maximum page size. */
export const pageSize = 100
