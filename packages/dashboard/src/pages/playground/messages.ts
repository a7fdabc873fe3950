import type { Message } from '../../snippets/write-snippets.ts'
import type { Turn } from './turn.ts'

/** A placeholder for the first message. */
export const exampleQuestion = 'What does a toll gate do?'

type PastTurn = Pick<Turn, 'question' | 'answer' | 'state'>

/** The messages of a call: the system prompt, the earlier conversation without failed turns, and the question. */
export function requestMessages(turns: readonly PastTurn[], system: string, question: string): Message[] {
  const conversation = turns
    .filter(({ answer, state }) => answer !== '' && state !== 'failed')
    .flatMap(({ question, answer }): Message[] => [
      { role: 'user', content: question },
      { role: 'assistant', content: answer }
    ])
  const systemMessages: Message[] = system.trim() === '' ? [] : [{ role: 'system', content: system }]
  return [...systemMessages, ...conversation, { role: 'user', content: question }]
}

/** The messages of the next call; without a question those of the last call; without any call an example. */
export function snippetMessages(
  turns: readonly PastTurn[],
  system: string,
  question: string,
  example: string
): Message[] {
  if (question.trim() !== '') return requestMessages(turns, system, question)
  const last = turns.at(-1)
  return last === undefined
    ? requestMessages([], system, example)
    : requestMessages(turns.slice(0, -1), system, last.question)
}
