import { useNavigate, useSearch } from '@tanstack/react-router'
import { Code, Trash2 } from 'lucide-react'
import { useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { call } from '../../api/call.ts'
import { refresh } from '../../api/queries.ts'
import { useChatModels } from '../../chat-models/use-chat-models.ts'
import { isolate } from '../../format/visible-text.ts'
import { lazyDialog } from '../../layout/lazy-dialog.tsx'
import { useAccount, useUser } from '../../layout/owner.tsx'
import { keepChat, readKeptChat } from '../../layout/tabs.ts'
import { gatewayUrl } from '../../page-facts.ts'
import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Page } from '../../ui/page.tsx'
import { pageHeads } from '../../ui/page-heads.ts'
import { type Asking, createChat, createChatMemory, nothing, type Settings } from './chat.ts'
import { Conversation } from './conversation.tsx'
import { explainFailure } from './explain-failure.ts'
import { readState, writeState } from './kept-state.ts'
import { MessageForm } from './message-form.tsx'
import { readParameters, toMembers } from './parameters.ts'
import { SettingsCard } from './settings-card.tsx'
import { streamChat } from './stream-chat.ts'
import {
  createTokenSource,
  fixedKey,
  forgetHandedOverKey,
  type HandedOverKey,
  handedOverKey,
  type TokenSource,
  withToken
} from './token-source.ts'
import { isStreaming as isAnyStreaming, snippetMessages, type Turn } from './turn.ts'

const CodeDialog = lazyDialog(() => import('./code-dialog.tsx'), 'CodeDialog')

const ownTokens = () =>
  createTokenSource(
    async () => (await call('createPlaygroundToken')).token,
    () => performance.now()
  )

/**
 * A chat through the gateway, like an app's. The page gets a token by itself, or uses a key that was just created. Both
 * stay in the memory of this page, and are gone when the page is left. The conversation stays.
 */
export function PlaygroundPage() {
  const models = useChatModels()
  const [ownKey, setOwnKey] = useState<HandedOverKey | null>(handedOverKey)
  useEffect(forgetHandedOverKey, [])
  const [tokens] = useState(ownTokens)
  const { model: asked } = useSearch({ from: '/dashboard/playground' })
  const navigate = useNavigate({ from: '/dashboard/playground' })
  const [isCodeShown, setCodeShown] = useState(false)
  const chat = useChat(ownKey === null ? tokens : fixedKey(ownKey.secret))
  const { question, chosen, compared, system, typed } = chat.draft
  const setQuestion = (question: string) => chat.changeDraft({ question })
  const input = useRef<HTMLTextAreaElement>(null)
  const action = useRef<HTMLButtonElement>(null)

  const offered = models.filter(({ id }) => (ownKey?.models ?? [id]).includes(id))
  const find = (name: string) => offered.find(({ id }) => id === name)
  const model = find(asked ?? '') ?? find(chosen) ?? offered[0]
  const second = compared === model?.id ? undefined : find(compared)
  const { problems, ...parameters } = readParameters(typed)
  const settings = { models: [model, second].filter((one) => one !== undefined), system, parameters }
  const isReady = model !== undefined && Object.keys(problems).length === 0
  const isStreaming = isAnyStreaming(chat.turns)
  // The conversation goes on with this model, also when the address has no model.
  const keepModel = () => chat.changeDraft({ chosen: model?.id ?? '' })

  return (
    <Page
      {...pageHeads['/dashboard/playground']}
      actions={
        <>
          {chat.turns.length > 0 && (
            <Button
              tone="quiet"
              disabled={isStreaming}
              onClick={() => {
                chat.clear()
                input.current?.focus()
              }}
            >
              <Trash2 aria-hidden="true" className="size-4" />
              Clear
            </Button>
          )}
          <Button onClick={() => setCodeShown(true)}>
            <Code aria-hidden="true" className="size-4" />
            Show as code
          </Button>
        </>
      }
    >
      {ownKey !== null && (
        <Banner title={`You are using your key “${isolate(ownKey.label)}”`}>
          <p>Its limits apply, and its usage is listed under its name. Copy it before you leave this page.</p>
          <div className="mt-2 flex flex-wrap gap-2">
            <CopyButton text={ownKey.secret} what="the key" />
            <Button
              size="small"
              onClick={() => {
                setOwnKey(null)
                input.current?.focus()
              }}
            >
              Continue without the key
            </Button>
          </div>
        </Banner>
      )}
      <div className="grid grid-cols-1 gap-6 xl:grid-cols-[minmax(0,1fr)_20rem]">
        <section
          aria-label="Chat"
          className="order-last flex min-h-[28rem] flex-col rounded-2xl border border-line bg-surface shadow-card xl:order-first xl:min-h-[calc(100dvh-12rem)]"
        >
          <Conversation
            turns={chat.turns}
            isStreaming={isStreaming}
            isReady={isReady}
            onAsk={(example) => {
              keepModel()
              void chat.ask(settings, example)
              action.current?.focus()
            }}
            onAskAgain={(turn, edited) => {
              keepModel()
              void chat.askAgain(turn, settings, edited)
              action.current?.focus()
            }}
          />
          <MessageForm
            input={input}
            action={action}
            question={question}
            onQuestion={setQuestion}
            onSend={() => {
              keepModel()
              setQuestion('')
              input.current?.focus()
              void chat.ask(settings, question)
            }}
            canSend={isReady && question.trim() !== '' && !isStreaming}
            isStreaming={isStreaming}
            hasProblems={Object.keys(problems).length > 0}
            onStop={chat.stop}
          />
        </section>
        <SettingsCard
          offered={offered}
          model={model?.id ?? ''}
          onModel={(chosen) => {
            chat.changeDraft({ chosen })
            // The address asked for a model until another one is chosen.
            if (asked !== undefined) void navigate({ search: {}, replace: true })
          }}
          second={second?.id ?? ''}
          onSecond={(compared) => chat.changeDraft({ compared })}
          system={system}
          onSystem={(system) => chat.changeDraft({ system })}
          typed={typed}
          onTyped={(typed) => chat.changeDraft({ typed })}
          problems={problems}
        />
      </div>
      {isCodeShown && (
        <CodeDialog
          options={{
            api: model?.api ?? 'chat',
            gatewayUrl: gatewayUrl(),
            model: model?.id ?? '',
            messages: snippetMessages(chat.turns, system, question),
            ...toMembers(parameters)
          }}
          keyLabel={ownKey === null ? null : isolate(ownKey.label)}
          onClose={() => setCodeShown(false)}
        />
      )}
    </Page>
  )
}

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
  const chat = createChat(() => performance.now(), readState(whose, readKeptChat()))
  keep = () => (chat.read() === nothing ? undefined : keepChat(writeState(whose, chat.read())))
  return chat
})

/** The conversation of the signed-in user in their account. It lasts until the tab is closed, or the user signs out. */
function useChat(source: TokenSource) {
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
    changeDraft,
    stop,
    clear,
    ask: (settings: Settings, question: string) => chat.ask(settings, question, asking),
    askAgain: (turn: Turn, settings: Settings, question: string) => chat.askAgain(turn, settings, question, asking)
  }
}
