import { SendHorizontal, Square } from 'lucide-react'
import type { KeyboardEvent, Ref } from 'react'
import { Button } from '../../ui/button.tsx'
import { controlLook } from '../../ui/class-names.ts'

interface MessageFormProps {
  readonly input: Ref<HTMLTextAreaElement>
  /** The button that sends or stops. */
  readonly action: Ref<HTMLButtonElement>
  readonly question: string
  readonly onQuestion: (question: string) => void
  readonly onSend: () => void
  readonly canSend: boolean
  readonly isStreaming: boolean
  /** Whether a parameter in the settings is wrong, so that nothing can be sent. */
  readonly hasProblems: boolean
  readonly onStop: () => void
}

/** The message input. Enter sends; while an answer streams, the button stops it. */
export function MessageForm(props: MessageFormProps) {
  const { input, action, question, onQuestion, onSend, canSend, isStreaming, hasProblems, onStop } = props
  return (
    <form
      className="bottom-0 rounded-b-2xl border-t border-line bg-surface p-4 sm:sticky"
      onSubmit={(event) => {
        event.preventDefault()
        if (canSend) onSend()
      }}
    >
      <textarea
        ref={input}
        aria-label="Message"
        placeholder="Ask a model something"
        rows={2}
        value={question}
        onChange={(event) => onQuestion(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (!isSend(event)) return
          event.preventDefault()
          if (canSend) onSend()
        }}
        className={`${controlLook} field-sizing-content max-h-60 min-h-16 resize-none py-2`}
      />
      <div className="mt-2 flex flex-wrap items-center justify-between gap-2">
        {hasProblems ? (
          <p role="status" className="text-[0.8125rem] text-danger">
            Correct the parameters in the settings first.
          </p>
        ) : (
          <p className="text-[0.8125rem] text-ink-soft">
            Enter sends<span className="hidden sm:inline">, Shift + Enter starts a new line</span>.
          </p>
        )}
        {/* One button, so that it keeps the focus. */}
        <Button
          ref={action}
          type={isStreaming ? 'button' : 'submit'}
          tone={isStreaming ? 'plain' : 'primary'}
          disabled={!isStreaming && !canSend}
          onClick={() => isStreaming && onStop()}
        >
          {isStreaming ? (
            <Square aria-hidden="true" className="size-3.5" />
          ) : (
            <SendHorizontal aria-hidden="true" className="size-4" />
          )}
          {isStreaming ? 'Stop' : 'Send'}
        </Button>
      </div>
    </form>
  )
}

/** Whether a key sends the message: Enter alone, and not the one that ends the input of a Japanese or Chinese word. */
export const isSend = ({ key, shiftKey, nativeEvent }: KeyboardEvent): boolean =>
  key === 'Enter' && !shiftKey && !nativeEvent.isComposing
