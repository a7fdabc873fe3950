import { SendHorizontal, Square } from 'lucide-react'
import type { Ref } from 'react'
import { controlLook } from '../../forms/fields.tsx'
import { Button } from '../../ui/button.tsx'
import { exampleQuestion } from './messages.ts'

interface MessageFormProps {
  readonly input: Ref<HTMLTextAreaElement>
  readonly question: string
  readonly onQuestion: (question: string) => void
  readonly onSend: () => void
  readonly isReady: boolean
  readonly isStreaming: boolean
  readonly onStop: () => void
  /** Removes all turns; absent if there are none. */
  readonly onClear?: () => void
}

/** The message input. Enter sends; while an answer streams, the button stops it. */
export function MessageForm(props: MessageFormProps) {
  const { input, question, onQuestion, onSend, isReady, isStreaming, onStop, onClear } = props
  return (
    <form
      className="border-t border-line p-4"
      onSubmit={(event) => {
        event.preventDefault()
        onSend()
      }}
    >
      <textarea
        ref={input}
        aria-label="Message"
        placeholder={exampleQuestion}
        rows={3}
        value={question}
        onChange={(event) => onQuestion(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
          event.preventDefault()
          onSend()
        }}
        className={`${controlLook} resize-y py-2`}
      />
      <div className="mt-2 flex flex-wrap items-center justify-between gap-2">
        <p className="text-[0.8125rem] text-ink-soft">Enter sends. Shift + Enter starts a new line.</p>
        <div className="ml-auto flex gap-2">
          {onClear !== undefined && !isStreaming && (
            <Button tone="quiet" onClick={onClear}>
              Clear conversation
            </Button>
          )}
          {isStreaming ? (
            <Button onClick={onStop}>
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
  )
}
