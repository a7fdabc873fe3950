import type { ChatModel } from '../../chat-models/use-chat-models.ts'
import type { Problem } from './explain-failure.ts'
import { noParameters, type Parameters, type TypedParameters, toMembers } from './parameters.ts'
import type { ChatListener, ChatRequest, ChatResult } from './stream-chat.ts'
import { changeReply, type Reply, requestMessages, startReply, type Turn, turnsBefore } from './turn.ts'

/** How the next question is asked. */
export interface Settings {
  /** One model, or two to compare. */
  readonly models: ReadonlyArray<Pick<ChatModel, 'id' | 'api'>>
  readonly system: string
  readonly parameters: Parameters
}

/** What the reader has chosen and typed. */
export interface Draft {
  readonly question: string
  /** The ids of the model and of the second one; empty for none. */
  readonly chosen: string
  readonly compared: string
  readonly system: string
  readonly typed: TypedParameters
}

export interface ChatState {
  readonly turns: readonly Turn[]
  readonly draft: Draft
}

/** How a question reaches the models. */
export interface Asking {
  /** @throws why the call failed, or the signal's reason after an abort */
  readonly stream: (request: ChatRequest, listener: ChatListener, signal: AbortSignal) => Promise<ChatResult>
  readonly explain: (error: unknown) => Problem
  /** Called when all answers have ended. */
  readonly onEnd: () => void
}

export type Chat = ReturnType<typeof createChat>

export const nothing: ChatState = {
  turns: [],
  draft: { question: '', chosen: '', compared: '', system: '', typed: noParameters }
}

/** The second click of a double click on Send lands on Stop, which is in the same place. */
const minStopMs = 500

/**
 * A conversation with its draft, outside of React: an answer goes on while the reader looks at another page.
 *
 * @param now milliseconds of a clock that never goes back
 * @param start how it begins
 */
export function createChat(now: () => number, start: ChatState = nothing) {
  let state = start
  let running: { readonly abort: AbortController; readonly startedAt: number } | null = null
  let lastId = Math.max(0, ...start.turns.map(({ id }) => id))
  const listeners = new Set<() => void>()

  function change(changed: Partial<ChatState>): void {
    state = { ...state, ...changed }
    for (const listener of listeners) listener()
  }

  /** Asks each model, at the same time. */
  async function ask(before: readonly Turn[], settings: Settings, question: string, asking: Asking): Promise<void> {
    running?.abort.abort()
    const abort = new AbortController()
    running = { abort, startedAt: now() }
    const id = ++lastId
    const { models, system, parameters } = settings
    change({ turns: [...before, { id, question, replies: models.map(({ id: name }) => startReply(name)) }] })
    await Promise.all(
      models.map(({ id: model, api }, column) => {
        const messages = requestMessages(before, column, system, question)
        return reply({ id, column }, { api, model, messages, ...toMembers(parameters) }, asking, abort.signal)
      })
    )
    asking.onEnd()
  }

  async function reply(
    { id, column }: { readonly id: number; readonly column: number },
    request: ChatRequest,
    { stream, explain }: Asking,
    signal: AbortSignal
  ): Promise<void> {
    const startedAt = now()
    const elapsed = () => Math.round(now() - startedAt)
    const changeTo = (of: (reply: Reply) => Partial<Reply>) =>
      change({ turns: changeReply(state.turns, id, column, of) })
    const listener = {
      onStart: (requestId: string | null) => changeTo(() => ({ requestId })),
      onText: (text: string) =>
        changeTo((present) => ({ text: present.text + text, firstTokenMs: present.firstTokenMs ?? elapsed() }))
    }
    try {
      const result = await stream(request, listener, signal)
      changeTo(() => ({ state: 'done', ...result, totalMs: elapsed() }))
    } catch (error) {
      const ended = signal.aborted
        ? ({ state: 'stopped' } as const)
        : ({ state: 'failed', problem: explain(error) } as const)
      changeTo(() => ({ ...ended, totalMs: elapsed() }))
    }
  }

  return {
    read: (): ChatState => state,
    /** @returns a function that ends it */
    subscribe(listener: () => void) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    changeDraft: (draft: Partial<Draft>) => change({ draft: { ...state.draft, ...draft } }),
    /** Continues the conversation. */
    ask: (settings: Settings, question: string, asking: Asking) => ask(state.turns, settings, question, asking),
    /** Asks a question in the place of an earlier one. The turns after it are removed. */
    askAgain: (turn: Turn, settings: Settings, question: string, asking: Asking) =>
      ask(turnsBefore(state.turns, turn.id), settings, question, asking),
    /** Stops the answers under way, but not in the first {@link minStopMs}. */
    stop() {
      if (running !== null && now() - running.startedAt >= minStopMs) running.abort.abort()
    },
    clear: () => change({ turns: [] }),
    /** Stops the answers under way, and forgets everything. */
    end() {
      running?.abort.abort()
      change(nothing)
    }
  }
}

/** Keeps the chat of one user in one account in memory. The chat of another one is ended first. */
export function createChatMemory(create: (whose: string) => Chat): (whose: string) => Chat {
  let latest: { readonly whose: string; readonly chat: Chat } | null = null
  return (whose) => {
    if (latest?.whose !== whose) {
      latest?.chat.end()
      latest = { whose, chat: create(whose) }
    }
    return latest.chat
  }
}
