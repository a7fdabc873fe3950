import Stripe from 'stripe'
import { type OnProviderCall, timedFetch } from '../../provider-health/provider-calls.ts'

/** Makes a client whose calls all end when the signal aborts. */
export type StripeClient = (signal: AbortSignal) => Stripe

export interface StripeListeners {
  /** Called with the status of each answer. */
  onAnswer?(status: number): void
  onCall?: OnProviderCall
}

export function createStripeClient(
  secretKey: string,
  apiBase: string,
  { onAnswer, onCall = () => {} }: StripeListeners = {}
): StripeClient {
  const { protocol, hostname, port } = new URL(apiBase)
  return (signal) =>
    new Stripe(secretKey, {
      host: hostname,
      protocol: protocol === 'http:' ? 'http' : 'https',
      ...(port !== '' && { port }),
      maxNetworkRetries: 1,
      telemetry: false,
      httpClient: Stripe.createFetchHttpClient(async (input: string | URL | Request, init: RequestInit = {}) => {
        const signals = [signal, ...(init.signal ? [init.signal] : [])]
        const response = await timedFetch(onCall, input, { ...init, signal: AbortSignal.any(signals) })
        onAnswer?.(response.status)
        return response
      })
    })
}

/** The provider's maximum page size. */
export const pageSize = 100
