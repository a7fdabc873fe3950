import { Code, Trash2 } from 'lucide-react'
import { type RefObject, useEffect, useRef, useState } from 'react'
import { isolate } from '../../format/visible-text.ts'
import { lazyDialog } from '../../layout/lazy-dialog.tsx'
import { gatewayUrl } from '../../page-facts.ts'
import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Page } from '../../ui/page.tsx'
import { pageHeads } from '../../ui/page-heads.ts'
import { Conversation } from './conversation.tsx'
import { MessageForm } from './message-form.tsx'
import { toMembers } from './parameters.ts'
import { SettingsCard } from './settings-card.tsx'
import { forgetHandedOverKey, type HandedOverKey, handedOverKey } from './token-source.ts'
import { snippetMessages } from './turn.ts'
import { type Choice, type PageChat, useChat, useChoice } from './use-chat.ts'

const CodeDialog = lazyDialog(() => import('./code-dialog.tsx'), 'CodeDialog')

/**
 * A chat through the gateway, like an app's. The page gets a token by itself, or uses a key that was just created. Both
 * stay in the memory of this page, and are gone when the page is left. The conversation stays.
 */
export function PlaygroundPage() {
  const [ownKey, setOwnKey] = useState<HandedOverKey | null>(handedOverKey)
  useEffect(forgetHandedOverKey, [])
  const chat = useChat(ownKey)
  const choice = useChoice(chat, ownKey)
  const [isCodeOpen, setCodeOpen] = useState(false)
  const input = useRef<HTMLTextAreaElement>(null)
  const { model, second } = choice
  return (
    <Page
      {...pageHeads['/dashboard/playground']}
      actions={
        <>
          {chat.turns.length > 0 && (
            <Button
              tone="quiet"
              disabled={chat.isStreaming}
              onClick={() => {
                chat.clear()
                input.current?.focus()
              }}
            >
              <Trash2 aria-hidden="true" className="size-4" />
              Clear
            </Button>
          )}
          <Button onClick={() => setCodeOpen(true)}>
            <Code aria-hidden="true" className="size-4" />
            Show as code
          </Button>
        </>
      }
    >
      {ownKey !== null && (
        <OwnKeyBanner
          ownKey={ownKey}
          onLeave={() => {
            setOwnKey(null)
            input.current?.focus()
          }}
        />
      )}
      <div className="grid grid-cols-1 gap-6 xl:grid-cols-[minmax(0,1fr)_20rem]">
        <ChatPanel chat={chat} choice={choice} input={input} />
        <SettingsCard
          models={choice.models}
          model={model?.id ?? ''}
          onModel={choice.chooseModel}
          second={second?.id ?? ''}
          draft={chat.draft}
          onChange={chat.changeDraft}
          problems={choice.problems}
        />
      </div>
      {isCodeOpen && (
        <CodeDialog
          options={{
            api: model?.api ?? 'chat',
            gatewayUrl: gatewayUrl(),
            model: model?.id ?? '',
            messages: snippetMessages(chat.turns, chat.draft.system, chat.draft.question),
            ...toMembers(choice.settings.parameters)
          }}
          keyLabel={ownKey === null ? null : isolate(ownKey.label)}
          onClose={() => setCodeOpen(false)}
        />
      )}
    </Page>
  )
}

function OwnKeyBanner({ ownKey, onLeave }: { readonly ownKey: HandedOverKey; readonly onLeave: () => void }) {
  return (
    <Banner title={`You are using your key “${isolate(ownKey.label)}”`}>
      <p>Its limits apply, and its usage is listed under its name. Copy it before you leave this page.</p>
      <div className="mt-2 flex flex-wrap gap-2">
        <CopyButton text={ownKey.secret} what="the key" />
        <Button size="small" onClick={onLeave}>
          Continue without the key
        </Button>
      </div>
    </Banner>
  )
}

interface ChatPanelProps {
  readonly chat: PageChat
  readonly choice: Choice
  readonly input: RefObject<HTMLTextAreaElement | null>
}

/** The conversation, and the form for the next question. */
function ChatPanel({ chat, choice, input }: ChatPanelProps) {
  const { settings, isReady, hasProblems, keepModel } = choice
  const { isStreaming, changeDraft } = chat
  const { question } = chat.draft
  const action = useRef<HTMLButtonElement>(null)
  return (
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
        onQuestion={(text) => changeDraft({ question: text })}
        onSend={() => {
          keepModel()
          changeDraft({ question: '' })
          input.current?.focus()
          void chat.ask(settings, question)
        }}
        canSend={isReady && question.trim() !== '' && !isStreaming}
        isStreaming={isStreaming}
        hasProblems={hasProblems}
        onStop={chat.stop}
      />
    </section>
  )
}
