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

/** Quotes a text for a shell. In single quotes, it treats only the single quote itself specially. */
export const quoteForShell = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

const maxLine = 100

/** Writes a body for a shell, in one line if it is short. */
export function writeBody(body: object): string {
  const line = JSON.stringify(body)
  return quoteForShell(line.length <= maxLine ? line : JSON.stringify(body, null, 2))
}

/** Splits the system prompt from the other messages, for APIs that send it in a member of its own. */
export const splitSystem = (messages: readonly Message[]): { system: string | undefined; others: Message[] } => ({
  system: messages.find(({ role }) => role === 'system')?.content,
  others: messages.filter(({ role }) => role !== 'system')
})
