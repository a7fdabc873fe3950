import Stripe from 'stripe'

/** Makes a client whose calls all end with the limit. */
export type StripeClient = (limit: AbortSignal) => Stripe

export function createStripeClient(secretKey: string, apiBase: string): StripeClient {
  const { protocol, hostname, port } = new URL(apiBase)
  return (limit) =>
    new Stripe(secretKey, {
      host: hostname,
      protocol: protocol === 'http:' ? 'http' : 'https',
      ...(port !== '' && { port }),
      maxNetworkRetries: 1,
      telemetry: false,
      httpClient: Stripe.createFetchHttpClient((input: string | URL | Request, init: RequestInit = {}) =>
        fetch(input, { ...init, signal: AbortSignal.any([limit, ...(init.signal ? [init.signal] : [])]) })
      )
    })
}

/** The most rows of a page that the provider gives. */
export const pageSize = 100
