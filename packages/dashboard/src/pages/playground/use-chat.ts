import { useSyncExternalStore } from 'react'
import { refresh } from '../../api/queries.ts'
import { gatewayUrl } from '../../gateway-url.ts'
import { useAccount, useUser } from '../../layout/caller.ts'
import { keepChat, readKeptChat } from '../../layout/kept-chat.ts'
import { type Asking, createChat, createChatMemory, nothing, type Settings } from './chat.ts'
import { explainFailure } from './explain-failure.ts'
import { readState, writeState } from './kept-state.ts'
import { streamChat } from './stream-chat.ts'
import { type TokenSource, withToken } from './token-source.ts'
import type { Turn } from './turn.ts'

/** Writes the latest chat down; nothing before the first one. */
let keep = (): void => {}
/** Only when the page may end: a long answer changes the chat many times a second. */
window.addEventListener('pagehide', () => keep())
document.addEventListener('visibilitychange', () => document.visibilityState === 'hidden' && keep())

/** The prompts are in memory, and outlast a reload in the storage of this tab. Signing out loads another document, which ends the chat. */
const chatOf = createChatMemory((whose) => {
  const chat = createChat(() => performance.now(), readState(whose, readKeptChat()))
  keep = () => (chat.read() === nothing ? undefined : keepChat(writeState(whose, chat.read())))
  return chat
})

/** The conversation of the signed-in user in their account. It lasts until the tab is closed, or the user signs out. */
export function useChat(source: TokenSource) {
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
    ...{ turns, draft, changeDraft, stop, clear },
    ask: (settings: Settings, question: string) => chat.ask(settings, question, asking),
    askAgain: (turn: Turn, settings: Settings, question: string) => chat.askAgain(turn, settings, question, asking)
  }
}
