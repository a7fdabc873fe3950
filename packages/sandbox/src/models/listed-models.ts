import type { Model } from 'openai/resources/models'

const createdS = Date.UTC(2026, 0, 1) / 1000

/** The names that `GET /v1/models` lists. */
export const listedModels: readonly string[] = ['sandbox-small', 'sandbox-large', 'sandbox-embedding']

export function describeModel(id: string): Model {
  return { id, object: 'model', created: createdS, owned_by: 'sandbox' }
}

export function listModels(): { object: 'list'; data: Model[] } {
  return { object: 'list', data: listedModels.map(describeModel) }
}
