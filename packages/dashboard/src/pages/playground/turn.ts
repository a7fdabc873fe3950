import type { Message } from '../../snippets/snippet-options.ts'
import type { TokenUsage } from './chat-events.ts'
import type { Problem } from './explain-failure.ts'

/** The answer of one model to a question. */
export interface Reply {
  readonly model: string
  readonly text: string
  readonly state: 'streaming' | 'done' | 'stopped' | 'failed'
  /** Whether the model reached the maximum tokens. */
  readonly isCut: boolean
  /** Why it failed. */
  readonly problem: Problem | null
  readonly usage: TokenUsage | null
  /** What it cost in dollars, from the gateway; null if the stream did not end. */
  readonly costUsd: string | null
  /** Identifies the call in the request log. */
  readonly requestId: string | null
  /** Milliseconds until the first piece of the answer, and until its end. */
  readonly firstTokenMs: number | null
  readonly totalMs: number | null
}

/** A question with the answers of one model, or of two that are compared. */
export interface Turn {
  readonly id: number
  readonly question: string
  readonly replies: readonly Reply[]
}

/** A reply before its first piece. */
export const startReply = (model: string): Reply => ({
  model,
  text: '',
  state: 'streaming',
  isCut: false,
  problem: null,
  usage: null,
  costUsd: null,
  requestId: null,
  firstTokenMs: null,
  totalMs: null
})

/** Changes one reply of one turn. A turn that was removed stays removed. */
export const changeReply = (
  turns: readonly Turn[],
  id: number,
  column: number,
  change: (reply: Reply) => Partial<Reply>
): Turn[] =>
  turns.map((turn) => {
    if (turn.id !== id) return turn
    const replies = turn.replies.map((reply, index) => (index === column ? { ...reply, ...change(reply) } : reply))
    return { ...turn, replies }
  })

/** The turns before one: a conversation continues from there after a retry or an edit. */
export function turnsBefore(turns: readonly Turn[], id: number): Turn[] {
  const place = turns.findIndex((turn) => turn.id === id)
  return turns.slice(0, place === -1 ? turns.length : place)
}

export const isStreaming = (turns: readonly Turn[]): boolean =>
  turns.some(({ replies }) => replies.some(({ state }) => state === 'streaming'))

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
