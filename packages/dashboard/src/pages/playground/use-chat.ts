import { useSyncExternalStore } from 'react'
import { refresh } from '../../api/queries.ts'
import { gatewayUrl } from '../../gateway-url.ts'
import { useAccount, useUser } from '../../layout/caller.ts'
import { type Asking, createChat, createChatMemory, type Settings } from './chat.ts'
import { explainFailure } from './explain-failure.ts'
import { streamChat } from './stream-chat.ts'
import { type TokenSource, withToken } from './token-source.ts'
import type { Turn } from './turn.ts'

/** Only memory has the prompts. Signing out loads another document, which ends the chat. */
const chatOf = createChatMemory(() => createChat(() => performance.now()))

/** The conversation of the signed-in user. It lasts until the tab is closed or reloaded, or the user signs out. */
export function useChat(source: TokenSource) {
  const { role } = useAccount()
  const chat = chatOf(useUser().id)
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
