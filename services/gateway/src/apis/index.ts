import type { Api, CountingApi } from '../request/api.ts'
import { chatCompletions } from './chat/chat-completions.ts'
import { completions } from './completions/completions.ts'
import { embeddings } from './embeddings/embeddings.ts'
import { countTokens, messages } from './messages/messages.ts'
import { moderations } from './moderations/moderations.ts'
import { compact, inputTokens, responses } from './responses/responses.ts'

/** The APIs that call models: each has a row of `apis` in contracts, and a folder here. */
export const apis: readonly Api[] = [
  chatCompletions,
  completions,
  embeddings,
  responses,
  compact,
  messages,
  moderations
]

/** The endpoints at which a provider counts a prompt. */
export const countingApis: readonly CountingApi[] = [inputTokens, countTokens]
