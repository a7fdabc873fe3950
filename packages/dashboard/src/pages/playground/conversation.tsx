import { MessagesSquare } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/states.tsx'
import { exampleQuestions } from './messages.ts'
import { QuestionView } from './question-view.tsx'
import { ReplyView } from './reply-view.tsx'
import type { Turn } from './turn.ts'

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
  const end = useFollowedEnd(turns, isStreaming)
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
      <div ref={end} className="scroll-mb-52" />
    </div>
  )
}

/** Keeps the end of the conversation in sight while an answer grows, unless the reader has scrolled up. */
function useFollowedEnd(turns: readonly Turn[], isStreaming: boolean) {
  const end = useRef<HTMLDivElement>(null)
  const isAtEnd = useRef(true)
  const count = useRef(0)
  useEffect(() => {
    const note = () => {
      const { scrollHeight } = document.documentElement
      isAtEnd.current = scrollHeight - window.scrollY - window.innerHeight < 80
    }
    window.addEventListener('scroll', note, { passive: true })
    return () => window.removeEventListener('scroll', note)
  }, [])
  useEffect(() => {
    const isNew = turns.length > count.current
    count.current = turns.length
    if (isNew || (isStreaming && isAtEnd.current)) end.current?.scrollIntoView({ block: 'end' })
  }, [turns, isStreaming])
  return end
}
