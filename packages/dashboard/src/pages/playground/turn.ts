import type { TokenUsage } from './chat-events.ts'

export interface Turn {
  readonly id: number
  readonly model: string
  readonly question: string
  readonly answer: string
  readonly state: 'streaming' | 'done' | 'stopped' | 'failed'
  readonly problem: string | null
  readonly usage: TokenUsage | null
  /** Milliseconds until the first piece of the answer, and until its end. */
  readonly firstTokenMs: number | null
  readonly totalMs: number | null
}
