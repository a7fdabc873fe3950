import type { APIError } from 'openai'
import type { TestSystem } from '../start-test-system.ts'
import type { OpenaiKit } from './kits.ts'

/** Address and keys that a client needs. */
export interface ClientAccess {
  system: TestSystem
  /** With its version: `http://127.0.0.1:<port>/v1`. */
  baseURL: string
  /** Without its version, as Anthropic's SDK wants it. */
  origin: string
  /** The key of an account with all models. */
  apiKey: string
  /** The key of an account on the free plan. */
  freeApiKey: string
  /** The client's own model of the Responses and Messages APIs, so that its bill is its own. */
  model: string
  /** The client's own models that misbehave, because the model server counts the requests of each. */
  misbehaving: MisbehavingModels
}

const misbehaviours = {
  'fails-every-second': 'status=500+every=2',
  // Longer than the gateway waits before a retry, but the SDK waits that long.
  'asks-to-wait': 'status=503+every=2+retry-after=3',
  'fails-always': 'status=500',
  'breaks-off': 'reset-after=3'
}
/** Names in the catalog. The model server knows them by the same name with directives: see {@link modelsOf}. */
export type MisbehavingModels = Record<keyof typeof misbehaviours, string>

/** The names of a client's own models. @param id of the client and its version, such as `openai-previous` */
export function namesOf(id: string): Pick<ClientAccess, 'model' | 'misbehaving'> {
  const names = Object.keys(misbehaviours).map((name) => [name, `${name}-${id}`])
  return { model: `client-${id}`, misbehaving: Object.fromEntries(names) as MisbehavingModels }
}

/** The client's models in the catalog → their names at the model server. */
export function modelsOf(id: string): Record<string, string> {
  const { model, misbehaving } = namesOf(id)
  const ways = Object.entries(misbehaviours).map(([name, directives]) => {
    const own = misbehaving[name as keyof MisbehavingModels]
    return [own, `${own}+${directives}`]
  })
  return { [model]: model, ...Object.fromEntries(ways) }
}

export const twentyWords = /^(\w+ ){19}\w+$/

/** @returns the error that the SDK throws; null if it throws none */
export async function failureOf(OpenAI: OpenaiKit['OpenAI'], call: Promise<unknown>): Promise<APIError | null> {
  try {
    await call
    return null
  } catch (error) {
    if (error instanceof OpenAI.APIError) return error
    throw error
  }
}

/** What a test shows. Four have columns in docs/clients.md; the others are named in its last one. */
type Feature = 'answer' | 'stream' | 'tools' | 'structured output' | (string & {})

/** Where a client's tests are registered: they run, or docs/clients.md lists them. */
export interface Journeys {
  /** @param features what the test shows of the client */
  test(features: Feature[], name: string, run: () => Promise<unknown>): void
}
