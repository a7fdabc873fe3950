import type { ChatApi } from '../chat-models/chat-api.ts'

export const languages = [
  ['curl', 'curl'],
  ['python', 'Python'],
  ['node', 'Node.js'],
  ['ai', 'AI SDK']
] as const
export type Language = (typeof languages)[number][0]

export interface Message {
  readonly role: 'system' | 'user' | 'assistant'
  readonly content: string
}
export interface SnippetOptions {
  readonly api: ChatApi
  /** The gateway's public origin. */
  readonly gatewayUrl: string
  /** A key, or a placeholder for it. */
  readonly secret: string
  readonly model: string
  readonly messages: readonly Message[]
  readonly isStream: boolean
  /** Further members of the request; absent for the model's defaults. */
  readonly temperature?: number
  readonly max_tokens?: number
}
