import type { ModelInfo } from '@anthropic-ai/sdk/resources/models'
import { invalidRequest } from '../api-error.ts'
import { listedModels } from '../listed-models.ts'

const createdAt = '2026-01-01T00:00:00Z'
const maxLimit = 1000

/** A model in the shape of this API. */
export function describeMessagesModel(id: string): ModelInfo {
  return {
    type: 'model',
    id,
    display_name: id,
    created_at: createdAt,
    capabilities: null,
    deprecated_at: null,
    lifecycle: 'active',
    line: null,
    max_input_tokens: 200_000,
    max_tokens: 64_000,
    retires_at: null
  }
}

/** A page of the models in the shape of this API: `limit` of them after `after_id` or before `before_id`. */
export function listMessagesModels(query: URLSearchParams): object {
  const limit = Number(query.get('limit') ?? 20)
  if (!Number.isInteger(limit) || limit < 1 || limit > maxLimit) {
    throw invalidRequest(`limit: Input must be from 1 to ${maxLimit}`, 'limit')
  }
  const [after, before] = [query.get('after_id'), query.get('before_id')]
  const open = listedModels.slice(
    after === null ? 0 : listedModels.indexOf(after) + 1,
    before === null ? listedModels.length : listedModels.indexOf(before)
  )
  const page = before === null ? open.slice(0, limit) : open.slice(-limit)
  return {
    data: page.map(describeMessagesModel),
    has_more: page.length < open.length,
    first_id: page[0] ?? null,
    last_id: page.at(-1) ?? null
  }
}
