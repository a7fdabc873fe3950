import { MessagesSquare, Pencil, RotateCw } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { controlLook } from '../../ui/class-names.ts'
import { Empty } from '../../ui/states.tsx'
import { isSend } from './message-form.tsx'
import { ReplyView } from './reply-view.tsx'
import { exampleQuestions, type Turn } from './turn.ts'

interface ConversationProps {
  readonly turns: readonly Turn[]
  readonly isStreaming: boolean
  /** Whether a model can be asked. */
  readonly isReady: boolean
  readonly onAsk: (question: string) => void
  readonly onAskAgain: (turn: Turn, question: string) => void
}

/** The turns of a chat, or how to start one. */
export function Conversation({ turns, isStreaming, isReady, onAsk, onAskAgain }: ConversationProps) {
  const end = useFollowedEnd(turns)
  return (
    <div role="log" aria-label="Conversation" aria-busy={isStreaming} className="flex flex-1 flex-col">
      {turns.length === 0 ? (
        <div className="m-auto max-w-full">
          <Empty
            icon={MessagesSquare}
            title="Start a conversation"
            action={
              <ul className="flex max-w-md flex-col gap-2">
                {exampleQuestions.map((question) => (
                  <li key={question}>
                    <Button
                      className="w-full whitespace-normal! text-balance"
                      disabled={!isReady}
                      onClick={() => onAsk(question)}
                    >
                      {question}
                    </Button>
                  </li>
                ))}
              </ul>
            }
          >
            Type a message, or try one of these. You need no API key here.
          </Empty>
        </div>
      ) : (
        <ol className="divide-y divide-line">
          {turns.map((turn) => (
            <li key={turn.id} className="space-y-4 px-4 py-5 sm:px-5">
              <QuestionView
                question={turn.question}
                canAsk={isReady && !isStreaming}
                onAsk={(question) => onAskAgain(turn, question)}
              />
              <div className={turn.replies.length > 1 ? 'grid grid-cols-1 gap-6 md:grid-cols-2' : ''}>
                {turn.replies.map((reply, column) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: a reply never moves to another column
                  <ReplyView key={column} reply={reply} />
                ))}
              </div>
            </li>
          ))}
        </ol>
      )}
      {turns.length > 0 && <div ref={end} />}
    </div>
  )
}

/** How near to the end a reader counts as reading it. */
const nearPx = 80

/** Keeps the end of the conversation in sight while an answer grows, unless the reader has scrolled up. */
function useFollowedEnd(turns: readonly Turn[]) {
  const [end, setEnd] = useState<HTMLDivElement | null>(null)
  const isFollowed = useRef(true)
  const count = useRef(0)
  useEffect(() => {
    if (end === null) return
    let scrolled = window.scrollY
    const note = () => {
      const isNear = belowSight(end) < nearPx
      // Between two pieces of an answer the end is further away, and the reader did not move.
      if (isNear || window.scrollY < scrolled) isFollowed.current = isNear
      scrolled = window.scrollY
    }
    // The text of an answer appears later than its turn: its code is loaded first, and long texts are drawn when there
    // is time.
    const growth = new ResizeObserver(() => {
      if (isFollowed.current) show(end)
    })
    for (const part of [end.previousElementSibling, composerOf(end)]) if (part != null) growth.observe(part)
    window.addEventListener('scroll', note, { passive: true })
    return () => {
      growth.disconnect()
      window.removeEventListener('scroll', note)
    }
  }, [end])
  useEffect(() => {
    // A new question is always shown, also to a reader who had scrolled up.
    if (turns.length > count.current && end !== null) {
      isFollowed.current = true
      show(end)
    }
    count.current = turns.length
  }, [turns, end])
  return setEnd
}

const show = (end: Element): void => window.scrollBy(0, Math.max(0, belowSight(end)))

/** The form below the conversation. It sticks to the lower edge of the window, over what is longer than the window. */
const composerOf = (end: Element): Element | null | undefined => end.closest('section')?.lastElementChild

/** Pixels from the end of the conversation to the place where it is in sight, above the composer. */
function belowSight(end: Element): number {
  const covered = composerOf(end)?.getBoundingClientRect().height ?? 0
  return Math.round(end.getBoundingClientRect().bottom + covered - window.innerHeight)
}

interface QuestionViewProps {
  readonly question: string
  /** False while an answer streams. */
  readonly canAsk: boolean
  /** Asks again in the place of this question. */
  readonly onAsk: (question: string) => void
}

/** A question of the reader, who can ask it again or change it. */
function QuestionView({ question, canAsk, onAsk }: QuestionViewProps) {
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
