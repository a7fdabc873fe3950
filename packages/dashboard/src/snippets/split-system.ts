import type { Message } from './snippet-options.ts'

/** Takes the system prompt out of messages, for APIs that have a member of its own for it. Undefined: there is none. */
export const splitSystem = (messages: readonly Message[]): { system: string | undefined; others: Message[] } => ({
  system: messages.find(({ role }) => role === 'system')?.content,
  others: messages.filter(({ role }) => role !== 'system')
})
