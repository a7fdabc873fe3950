import type { Model } from '@tollgate/contracts/catalog/catalog.ts'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { MessageModel, MessageModelList } from '@tollgate/contracts/http/models.ts'

const defaultLimit = 20
const maxLimit = 1000

/** The parameters of a page of models. */
interface PageQuery {
  readonly limit?: unknown
  readonly before_id?: unknown
  readonly after_id?: unknown
}

/**
 * Describes a model as Anthropic's API does.
 *
 * @param id the model's id, or an alias
 * @param name the model's id
 */
export function toMessageModel(
  id: string,
  name: string,
  { created, contextWindow, maxOutputTokens }: Model
): MessageModel {
  return {
    type: 'model',
    id,
    display_name: name,
    created_at: new Date(created * 1000).toISOString(),
    max_input_tokens: contextWindow,
    max_tokens: maxOutputTokens,
    lifecycle: 'active',
    deprecated_at: null,
    retires_at: null,
    capabilities: null,
    line: null
  }
}

/**
 * Cuts a page from a list of models, as Anthropic's API does: the first models, those after one, or the last ones before one.
 *
 * @throws ServiceError invalid_request
 */
export function pageOfModels(models: readonly MessageModel[], query: PageQuery): MessageModelList {
  const limit = limitOf(query.limit)
  const [from, until] = [placeOf(models, query.after_id) + 1, placeOf(models, query.before_id)]
  const found = models.slice(from, until < 0 ? undefined : until)
  const data = until < 0 ? found.slice(0, limit) : found.slice(-limit)
  return {
    data,
    has_more: data.length < found.length,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null
  }
}

function limitOf(value: unknown): number {
  if (value === undefined) return defaultLimit
  const limit = typeof value === 'string' && /^\d{1,4}$/.test(value) ? Number(value) : 0
  if (limit >= 1 && limit <= maxLimit) return limit
  throw new ServiceError('invalid_request', { message: `limit: not valid. Send a number from 1 to ${maxLimit}.` })
}

/** @returns the index of the model; -1 if the query names none */
function placeOf(models: readonly MessageModel[], id: unknown): number {
  if (id === undefined) return -1
  const place = models.findIndex((model) => model.id === id)
  if (place >= 0) return place
  throw new ServiceError('invalid_request', {
    message: 'before_id or after_id: not a model of this list. Send an id from a page that you got.'
  })
}
