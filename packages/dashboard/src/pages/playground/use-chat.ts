import { useEffect, useRef, useState } from 'react'
import { refresh } from '../../api/queries.ts'
import type { ChatModel } from '../../chat-models/use-chat-models.ts'
import { gatewayUrl } from '../../gateway-url.ts'
import { useAccount } from '../../layout/caller.ts'
import { explainFailure } from './explain-failure.ts'
import { requestMessages } from './messages.ts'
import { type Parameters, toMembers } from './parameters.ts'
import { type ChatRequest, streamChat } from './stream-chat.ts'
import { type TokenSource, withToken } from './token-source.ts'
import { changeReply, type Reply, startReply, type Turn, turnsBefore } from './turn.ts'

/** How the next question is asked. */
export interface Settings {
  /** One model, or two to compare. */
  readonly models: ReadonlyArray<Pick<ChatModel, 'id' | 'api'>>
  readonly system: string
  readonly parameters: Parameters
}

/** A conversation that lasts as long as the page is open. */
export function useChat(source: TokenSource) {
  const { role } = useAccount()
  const [turns, setTurns] = useState<readonly Turn[]>([])
  const running = useRef<AbortController | null>(null)
  const lastId = useRef(0)
  useEffect(() => () => running.current?.abort(), [])

  /** Asks each model, at the same time. */
  async function ask(before: readonly Turn[], { models, system, parameters }: Settings, question: string) {
    running.current?.abort()
    const abort = new AbortController()
    running.current = abort
    const id = ++lastId.current
    setTurns([...before, { id, question, replies: models.map(({ id: name }) => startReply(name)) }])
    await Promise.all(
      models.map(({ id: model, api }, column) => {
        const messages = requestMessages(before, column, system, question)
        return reply({ id, column }, { api, model, messages, ...toMembers(parameters) }, abort.signal)
      })
    )
    // Its usage is charged now.
    void refresh('getUsageSummary')
  }

  async function reply({ id, column }: { id: number; column: number }, request: ChatRequest, signal: AbortSignal) {
    const startedAt = performance.now()
    const elapsed = () => Math.round(performance.now() - startedAt)
    const change = (of: (reply: Reply) => Partial<Reply>) => setTurns((all) => changeReply(all, id, column, of))
    const listener = {
      onStart: (requestId: string | null) => change(() => ({ requestId })),
      onText: (text: string) =>
        change((present) => ({ text: present.text + text, firstTokenMs: present.firstTokenMs ?? elapsed() }))
    }
    try {
      const result = await withToken(source, (token) =>
        streamChat({ url: gatewayUrl(), token }, request, listener, signal)
      )
      change(() => ({ state: 'done', ...result, totalMs: elapsed() }))
    } catch (error) {
      const ended = signal.aborted
        ? ({ state: 'stopped' } as const)
        : ({ state: 'failed', problem: explainFailure(error, role) } as const)
      change(() => ({ ...ended, totalMs: elapsed() }))
    }
  }

  return {
    turns,
    /** Continues the conversation. */
    ask: (settings: Settings, question: string) => ask(turns, settings, question),
    /** Asks a question in the place of an earlier one. The turns after it are removed. */
    askAgain: (turn: Turn, settings: Settings, question: string) =>
      ask(turnsBefore(turns, turn.id), settings, question),
    stop: () => running.current?.abort(),
    clear: () => setTurns([])
  }
}
