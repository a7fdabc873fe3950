import { useEffect, useRef, useState } from 'react'
import { explain } from '../../api/api-error.ts'
import { requestMessages } from './messages.ts'
import { type Gateway, streamChat } from './stream-chat.ts'
import type { Turn } from './turn.ts'

/** A conversation that lasts as long as the page is open. */
export function useChat() {
  const [turns, setTurns] = useState<readonly Turn[]>([])
  const running = useRef<AbortController | null>(null)
  useEffect(() => () => running.current?.abort(), [])

  /** @returns whether there is at least a part of an answer; otherwise the question can be sent again */
  const ask = async (gateway: Gateway, model: string, system: string, question: string): Promise<boolean> => {
    const abort = new AbortController()
    running.current = abort
    const id = turns.length
    const startedAt = performance.now()
    const elapsed = () => Math.round(performance.now() - startedAt)
    const change = (changed: (turn: Turn) => Partial<Turn>) =>
      setTurns((all) => all.map((turn) => (turn.id === id ? { ...turn, ...changed(turn) } : turn)))
    const messages = requestMessages(turns, system, question)
    const started = { state: 'streaming', problem: null, usage: null, firstTokenMs: null, totalMs: null } as const
    setTurns([...turns, { id, model, question, answer: '', ...started }])
    let isAnswered = false
    try {
      const onText = (text: string) => {
        isAnswered = true
        change(({ answer, firstTokenMs }) => ({ answer: answer + text, firstTokenMs: firstTokenMs ?? elapsed() }))
      }
      const usage = await streamChat(gateway, { model, messages }, onText, abort.signal)
      change(() => ({ state: 'done', usage, totalMs: elapsed() }))
      return true
    } catch (error) {
      const isStopped = abort.signal.aborted
      change(() => ({
        state: isStopped ? 'stopped' : 'failed',
        problem: isStopped ? null : explain(error),
        totalMs: elapsed()
      }))
      return isStopped && isAnswered
    }
  }
  return { turns, ask, stop: () => running.current?.abort(), clear: () => setTurns([]) }
}
