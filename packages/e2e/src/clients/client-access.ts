import type { TestSystem } from '../start-test-system.ts'

/** What a client is given to reach the product, as its users have it. */
export type ClientAccess = {
  system: TestSystem
  /** With its version: `http://127.0.0.1:<port>/v1`. */
  baseURL: string
  /** Of an account whose plan has all models. */
  apiKey: string
  /** Of an account on the free plan. */
  freeApiKey: string
}

/** Names of models that the catalog of these tests adds, and how the model server answers to them. */
export const misbehaving = {
  'fails-every-second': 'gpt-4o-mini+status=500+every=2',
  // For longer than the gateway would hold a request back; the SDK waits that long.
  'asks-for-a-rest': 'gpt-4o-mini+status=503+every=2+retry-after=3',
  'fails-always': 'gpt-4o-mini+status=500',
  'breaks-off': 'gpt-4o-mini+reset-after=3'
}
