import { Link } from '@tanstack/react-router'
import { MessagesSquare, SendHorizontal, Square } from 'lucide-react'
import { useRef, useState } from 'react'
import { controlLook } from '../../forms/fields.tsx'
import { gatewayUrl } from '../../gateway-url.ts'
import { useAccount } from '../../layout/caller.ts'
import { Snippets } from '../../snippets/snippets.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Page } from '../../ui/page.tsx'
import { Empty } from '../../ui/states.tsx'
import { textLink } from '../../ui/text-link.ts'
import { shownMessages } from './messages.ts'
import { Settings } from './settings.tsx'
import { TurnView } from './turn-view.tsx'
import { useChat } from './use-chat.ts'
import { useModels } from './use-models.ts'

const example = 'What does a toll gate do?'

/** Chats through the gateway, as an application does. The key is in this page's memory alone, as long as it is open. */
export function PlaygroundPage() {
  const { models: offered } = useAccount()
  const [key, setKey] = useState('')
  const [chosen, setChosen] = useState('')
  const [system, setSystem] = useState('')
  const [question, setQuestion] = useState('')
  const { turns, ask, stop, clear } = useChat()
  const input = useRef<HTMLTextAreaElement>(null)
  const isChat = (model: string) => (offered.find(({ id }) => id === model)?.kind ?? 'chat') === 'chat'
  const models = useModels({ url: gatewayUrl(), key: key.trim() })
  const chatModels = (models.names ?? []).filter(isChat)
  const model = chatModels.includes(chosen) ? chosen : (chatModels[0] ?? '')
  const isStreaming = turns.at(-1)?.state === 'streaming'
  const isReady = model !== '' && question.trim() !== '' && !isStreaming

  const send = async () => {
    if (!isReady) return
    setQuestion('')
    input.current?.focus()
    const isAnswered = await ask({ url: gatewayUrl(), key: key.trim() }, model, system, question)
    // To be sent again, unless something else is being written by now.
    if (!isAnswered) setQuestion((written) => (written === '' ? question : written))
  }

  return (
    <Page title="Playground" description="Try a model with one of your keys, and take the same call into your code.">
      <div className="grid grid-cols-1 gap-6 xl:grid-cols-[22rem_minmax(0,1fr)]">
        <Settings
          onKey={setKey}
          models={models}
          chatModels={chatModels}
          model={model}
          onModel={setChosen}
          system={system}
          onSystem={setSystem}
        />
        <section
          aria-label="Chat"
          className="flex min-h-96 flex-col rounded-2xl border border-line bg-surface shadow-card"
        >
          <div role="log" aria-label="Conversation" aria-busy={isStreaming} className="flex-1">
            {turns.length === 0 ? (
              <Empty icon={MessagesSquare} title="Nothing said yet">
                {key.trim() === '' ? (
                  <>
                    Paste a key first. None at hand?{' '}
                    <Link to="/dashboard/keys" className={textLink}>
                      Create one
                    </Link>
                    .
                  </>
                ) : (
                  'Ask something below.'
                )}
              </Empty>
            ) : (
              <ol className="divide-y divide-line">
                {turns.map((turn) => (
                  <TurnView
                    key={turn.id}
                    turn={turn}
                    prices={offered.find(({ id }) => id === turn.model)?.usd_per_million_tokens ?? null}
                  />
                ))}
              </ol>
            )}
          </div>
          <form
            className="border-t border-line p-4"
            onSubmit={(event) => {
              event.preventDefault()
              void send()
            }}
          >
            <textarea
              ref={input}
              aria-label="Message"
              placeholder={example}
              rows={3}
              value={question}
              onChange={(event) => setQuestion(event.currentTarget.value)}
              onKeyDown={(event) => {
                if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
                event.preventDefault()
                void send()
              }}
              className={`${controlLook} resize-y py-2`}
            />
            <div className="mt-2 flex flex-wrap items-center justify-between gap-2">
              <p className="text-[0.8125rem] text-ink-soft">Enter sends, Shift + Enter begins a line.</p>
              <div className="ml-auto flex gap-2">
                {turns.length > 0 && !isStreaming && (
                  <Button tone="quiet" onClick={clear}>
                    Start over
                  </Button>
                )}
                {isStreaming ? (
                  <Button onClick={stop}>
                    <Square aria-hidden="true" className="size-3.5" />
                    Stop
                  </Button>
                ) : (
                  <Button type="submit" tone="primary" disabled={!isReady}>
                    <SendHorizontal aria-hidden="true" className="size-4" />
                    Send
                  </Button>
                )}
              </div>
            </div>
          </form>
        </section>
      </div>
      <Card title="The same call in your code" description="Put your key in the place of YOUR_API_KEY.">
        <Snippets
          gatewayUrl={gatewayUrl()}
          secret="YOUR_API_KEY"
          model={model === '' ? (offered.find(({ kind }) => kind === 'chat')?.id ?? '') : model}
          messages={shownMessages(turns, system, question, example)}
          isStream
        />
      </Card>
    </Page>
  )
}
