import { useRef, useState } from 'react'
import { gatewayUrl } from '../../gateway-url.ts'
import { useAccount } from '../../layout/caller.ts'
import { Snippets } from '../../snippets/snippets.tsx'
import { Card } from '../../ui/card.tsx'
import { Page } from '../../ui/page.tsx'
import { Conversation } from './conversation.tsx'
import { MessageForm } from './message-form.tsx'
import { exampleQuestion, snippetMessages } from './messages.ts'
import { Settings } from './settings.tsx'
import { useChat } from './use-chat.ts'
import { useModels } from './use-models.ts'

/** A chat through the gateway, like an app's. The key stays in the memory of this page and is gone when the page is left. */
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
    // Restore the unanswered question, unless a new one was typed meanwhile.
    if (!isAnswered) setQuestion((typed) => (typed === '' ? question : typed))
  }

  return (
    <Page title="Playground" description="Try a model with one of your keys, then copy the call into your code.">
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
          <Conversation turns={turns} isStreaming={isStreaming} hasKey={key.trim() !== ''} offered={offered} />
          <MessageForm
            input={input}
            question={question}
            onQuestion={setQuestion}
            onSend={() => void send()}
            isReady={isReady}
            isStreaming={isStreaming}
            onStop={stop}
            {...(turns.length > 0 && { onClear: clear })}
          />
        </section>
      </div>
      <Card title="The same call in your code" description="Replace YOUR_API_KEY with your key.">
        <Snippets
          gatewayUrl={gatewayUrl()}
          secret="YOUR_API_KEY"
          model={model === '' ? (offered.find(({ kind }) => kind === 'chat')?.id ?? '') : model}
          messages={snippetMessages(turns, system, question, exampleQuestion)}
          isStream
        />
      </Card>
    </Page>
  )
}
