import type { Message } from '../../snippets/snippet-options.ts'
import type { Reply, Turn } from './turn.ts'

/** Questions that a new customer can ask with one click. */
export const exampleQuestions = [
  'What does a toll gate do?',
  'Write a Python function that says whether a number is prime.',
  'Compare three ways to cache an API’s answers, as a table.'
] as const

type PastTurn = { readonly question: string; readonly replies: ReadonlyArray<Pick<Reply, 'text' | 'state'>> }

/**
 * The messages of a call: the system prompt, the earlier conversation without failed turns, and the question.
 *
 * @param column which of two compared conversations continues. Where a turn has one reply, both have it
 */
export function requestMessages(
  turns: readonly PastTurn[],
  column: number,
  system: string,
  question: string
): Message[] {
  const conversation = turns.flatMap(({ question, replies }): Message[] => {
    const reply = replies[column] ?? replies[0]
    if (reply === undefined || reply.text === '' || reply.state === 'failed') return []
    return [
      { role: 'user', content: question },
      { role: 'assistant', content: reply.text }
    ]
  })
  const systemMessages: Message[] = system.trim() === '' ? [] : [{ role: 'system', content: system }]
  return [...systemMessages, ...conversation, { role: 'user', content: question }]
}

/** The messages of the next call; without a question those of the last call; without any call an example. */
export function snippetMessages(turns: readonly Turn[], system: string, question: string): Message[] {
  if (question.trim() !== '') return requestMessages(turns, 0, system, question)
  const last = turns.at(-1)
  return last === undefined
    ? requestMessages([], 0, system, exampleQuestions[0])
    : requestMessages(turns.slice(0, -1), 0, system, last.question)
}
