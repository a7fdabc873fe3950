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
  ...{ model, text: '', state: 'streaming', isCut: false, problem: null, usage: null, costUsd: null },
  ...{ requestId: null, firstTokenMs: null, totalMs: null }
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
