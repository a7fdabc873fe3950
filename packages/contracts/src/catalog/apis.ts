import type { ModelKind } from './catalog.ts'

/** The APIs of models, by the last part of their paths. */
export const apis = ['chat', 'completions', 'embeddings', 'responses', 'messages'] as const
/** An API that a client calls and an upstream speaks. */
export type Api = (typeof apis)[number]

/** The path of each API at the gateway. */
export const apiPaths: Readonly<Record<Api, string>> = {
  chat: '/v1/chat/completions',
  completions: '/v1/completions',
  embeddings: '/v1/embeddings',
  responses: '/v1/responses',
  messages: '/v1/messages'
}

/** The APIs that models of a kind can have. */
export const apisOfKind: Readonly<Record<ModelKind, readonly Api[]>> = {
  chat: ['chat', 'responses', 'messages'],
  completion: ['completions'],
  embedding: ['embeddings']
}
