import type { Message } from '../../snippets/write-snippets.ts'
import type { Turn } from './use-chat.ts'

type Said = Pick<Turn, 'question' | 'answer' | 'state'>

/** What a question is sent with: the instructions, what was said before, and itself. What failed was not said. */
export function askedMessages(turns: readonly Said[], system: string, question: string): Message[] {
  const said = turns
    .filter(({ answer, state }) => answer !== '' && state !== 'failed')
    .flatMap(({ question, answer }): Message[] => [
      { role: 'user', content: question },
      { role: 'assistant', content: answer }
    ])
  const instructions: Message[] = system.trim() === '' ? [] : [{ role: 'system', content: system }]
  return [...instructions, ...said, { role: 'user', content: question }]
}

/** The call that would be made now; without a question, the last that was made; without any, one to begin with. */
export function shownMessages(turns: readonly Said[], system: string, question: string, example: string): Message[] {
  if (question.trim() !== '') return askedMessages(turns, system, question)
  const last = turns.at(-1)
  return last === undefined
    ? askedMessages([], system, example)
    : askedMessages(turns.slice(0, -1), system, last.question)
}
