import { useQuery } from '@tanstack/react-query'
import { read } from '../api/queries.ts'
import { type Account, useAccount } from '../layout/owner.tsx'
import { type ChatApi, chatApiOf } from './chat-api.ts'

export type ChatModel = Account['models'][number] & {
  readonly api: ChatApi
  /** The paths at which it is offered; null if they are unknown. */
  readonly endpoints: readonly string[] | null
}

/**
 * The models of the account's plan that chat. Until their endpoints are read, each is taken for one of chat
 * completions.
 */
export function useChatModels(): readonly ChatModel[] {
  const { models } = useAccount()
  const { data } = useQuery(read('listPricedModels'))
  const endpointsOf = new Map(data?.models.map(({ id, endpoints }) => [id, endpoints]))
  return models.flatMap((model) => {
    const endpoints = endpointsOf.get(model.id) ?? null
    const api = model.kind === 'chat' ? chatApiOf(endpoints) : null
    return api === null ? [] : [{ ...model, api, endpoints }]
  })
}
