import { Link } from '@tanstack/react-router'
import { MessagesSquare } from 'lucide-react'
import type { Account } from '../../layout/caller.ts'
import { Empty } from '../../ui/states.tsx'
import { textLink } from '../../ui/text-link.ts'
import type { Turn } from './turn.ts'
import { TurnView } from './turn-view.tsx'

interface ConversationProps {
  readonly turns: readonly Turn[]
  readonly isStreaming: boolean
  readonly hasKey: boolean
  /** The models of the account's plan, with their prices. */
  readonly offered: Account['models']
}

/** The turns of a chat, or how to start one. */
export function Conversation({ turns, isStreaming, hasKey, offered }: ConversationProps) {
  return (
    <div role="log" aria-label="Conversation" aria-busy={isStreaming} className="flex-1">
      {turns.length === 0 ? (
        <Empty icon={MessagesSquare} title="Start a conversation">
          {hasKey ? (
            'Type a message below.'
          ) : (
            <>
              Paste an API key first. No key yet?{' '}
              <Link to="/dashboard/keys" className={textLink}>
                Create one
              </Link>
              .
            </>
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
  )
}
