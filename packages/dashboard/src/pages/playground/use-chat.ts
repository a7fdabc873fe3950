import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState, useSyncExternalStore } from 'react'
import { call } from '../../api/call.ts'
import { refresh } from '../../api/queries.ts'
import { useChatModels } from '../../chat-models/use-chat-models.ts'
import { keptChat } from '../../layout/kept-texts.ts'
import { useAccount, useUser } from '../../layout/owner.tsx'
import { gatewayUrl } from '../../page-facts.ts'
import { type Asking, createChat, createChatMemory, nothing, type Settings } from './chat.ts'
import { explainFailure } from './explain-failure.ts'
import { readState, writeState } from './kept-state.ts'
import { readParameters } from './parameters.ts'
import { streamChat } from './stream-chat.ts'
import { createTokenSource, fixedKey, type HandedOverKey, withToken } from './token-source.ts'
import { isStreaming, type Turn } from './turn.ts'

export type PageChat = ReturnType<typeof useChat>
export type Choice = ReturnType<typeof useChoice>

/**
 * The conversation of the signed-in user in their account. It lasts until the tab is closed, or the user signs out.
 *
 * @param ownKey the key that it uses; null for tokens of its own
 */
export function useChat(ownKey: HandedOverKey | null) {
  const [tokens] = useState(ownTokens)
  const source = ownKey === null ? tokens : fixedKey(ownKey.secret)
  const { role, id } = useAccount()
  const chat = chatOf(`${useUser().id} ${id}`)
  const { turns, draft } = useSyncExternalStore(chat.subscribe, chat.read)
  const asking: Asking = {
    stream: (request, listener, signal) =>
      withToken(source, (token) => streamChat({ url: gatewayUrl(), token }, request, listener, signal)),
    explain: (error) => explainFailure(error, role),
    // Its usage is charged now.
    onEnd: () => void refresh('getUsageSummary')
  }
  const { changeDraft, stop, clear } = chat
  return {
    turns,
    draft,
    isStreaming: isStreaming(turns),
    changeDraft,
    stop,
    clear,
    ask: (settings: Settings, question: string) => chat.ask(settings, question, asking),
    askAgain: (turn: Turn, settings: Settings, question: string) => chat.askAgain(turn, settings, question, asking)
  }
}

const ownTokens = () =>
  createTokenSource(
    async () => (await call('createPlaygroundToken')).token,
    () => performance.now()
  )

/** Writes the latest chat down; nothing before the first one. */
let keep = (): void => {}
/** Only when the page may end: a long answer changes the chat many times a second. */
window.addEventListener('pagehide', () => keep())
document.addEventListener('visibilitychange', () => document.visibilityState === 'hidden' && keep())

/**
 * The prompts are in memory, and outlast a reload in the storage of this tab. Signing out loads another document, which
 * ends the chat.
 */
const chatOf = createChatMemory((whose) => {
  const chat = createChat(() => performance.now(), readState(whose, keptChat.read()))
  keep = () => (chat.read() === nothing ? undefined : keptChat.keep(writeState(whose, chat.read())))
  return chat
})

/** The models and settings of the next question. The address may name the model; a key of the user may limit them. */
export function useChoice({ draft, changeDraft }: PageChat, ownKey: HandedOverKey | null) {
  const { model: modelOfAddress } = useSearch({ from: '/dashboard/playground' })
  const navigate = useNavigate({ from: '/dashboard/playground' })
  const models = useChatModels().filter(({ id }) => (ownKey?.models ?? [id]).includes(id))
  const find = (name: string) => models.find(({ id }) => id === name)
  const model = find(modelOfAddress ?? '') ?? find(draft.chosen) ?? models[0]
  const second = draft.compared === model?.id ? undefined : find(draft.compared)
  const { problems, ...parameters } = readParameters(draft.typed)
  const hasProblems = Object.keys(problems).length > 0
  const settings: Settings = {
    models: [model, second].filter((one) => one !== undefined),
    system: draft.system,
    parameters
  }
  return {
    models,
    model,
    second,
    settings,
    problems,
    hasProblems,
    isReady: model !== undefined && !hasProblems,
    chooseModel: (chosen: string) => {
      changeDraft({ chosen })
      // The address names the model until another one is chosen.
      if (modelOfAddress !== undefined) void navigate({ search: {}, replace: true })
    },
    /** Makes the conversation go on with this model, also when the address has no model. */
    keepModel: () => changeDraft({ chosen: model?.id ?? '' })
  }
}
