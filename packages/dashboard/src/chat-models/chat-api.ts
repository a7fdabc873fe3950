/** The API with which a model chats: OpenAI's chat completions, or Anthropic's messages. */
export type ChatApi = 'chat' | 'messages'

const paths = [
  ['chat', '/v1/chat/completions'],
  ['messages', '/v1/messages']
] as const

/**
 * Finds the API of a model.
 *
 * @param endpoints the paths at which the model is offered; null if they are unknown
 * @returns null if the model speaks neither
 */
export function chatApiOf(endpoints: readonly string[] | null): ChatApi | null {
  if (endpoints === null) return 'chat'
  return paths.find(([, path]) => endpoints.includes(path))?.[0] ?? null
}

/** Answers of Anthropic's API need a maximum. Tokens, for those who set none. */
export const defaultMaxTokens = 4096
