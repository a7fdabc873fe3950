import { Pencil, RotateCw } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { controlLook } from '../../ui/control-look.ts'
import { isSend } from './is-send.ts'

interface QuestionViewProps {
  readonly question: string
  /** False while an answer streams. */
  readonly canAsk: boolean
  /** Asks again in the place of this question. */
  readonly onAsk: (question: string) => void
}

/** A question of the reader, who can ask it again or change it. */
export function QuestionView({ question, canAsk, onAsk }: QuestionViewProps) {
  const [edited, setEdited] = useState<string | null>(null)
  const send = () => {
    if (edited === null || edited.trim() === '' || !canAsk) return
    setEdited(null)
    onAsk(edited)
  }
  if (edited === null) {
    return (
      <div className="ml-auto flex max-w-[85%] flex-col items-end gap-1">
        <p className="rounded-2xl rounded-br-md bg-accent-soft px-4 py-2.5 wrap-anywhere whitespace-pre-wrap">
          {question}
        </p>
        {canAsk && (
          <div className="flex gap-1">
            <Button tone="quiet" size="small" onClick={() => setEdited(question)}>
              <Pencil aria-hidden="true" className="size-3.5" />
              Edit
            </Button>
            <Button tone="quiet" size="small" onClick={() => onAsk(question)}>
              <RotateCw aria-hidden="true" className="size-3.5" />
              Retry
            </Button>
          </div>
        )}
      </div>
    )
  }
  return (
    <form
      className="space-y-2"
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <textarea
        // biome-ignore lint/a11y/noAutofocus: the reader has just pressed Edit
        autoFocus
        aria-label="Edit message"
        rows={3}
        value={edited}
        onChange={(event) => setEdited(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') setEdited(null)
          if (!isSend(event)) return
          event.preventDefault()
          send()
        }}
        className={`${controlLook} max-h-80 resize-y py-2`}
      />
      <div className="flex flex-wrap items-center justify-end gap-2">
        <p className="mr-auto text-[0.8125rem] text-ink-soft">The conversation continues from here.</p>
        <Button tone="quiet" size="small" onClick={() => setEdited(null)}>
          Cancel
        </Button>
        <Button type="submit" tone="primary" size="small" disabled={edited.trim() === '' || !canAsk}>
          Send again
        </Button>
      </div>
    </form>
  )
}
