import type { EventNotice } from '@tollgate/contracts/http/notices.ts'
import { CheckCheck } from 'lucide-react'
import { useState } from 'react'
import { explain } from '../api/api-error.ts'
import { Button } from '../ui/button.tsx'
import { useToast } from '../ui/toast.tsx'
import { type NoticeFeed, refreshNotices } from './feed.ts'

interface MarkReadButtonProps {
  readonly feed: NoticeFeed
  /** The newest event that is shown. Events that came since stay unread. */
  readonly newest: EventNotice | undefined
  readonly unread: number
  readonly size?: 'normal' | 'small'
}

/** Marks all shown events as read. */
export function MarkReadButton({ feed, newest, unread, size = 'normal' }: MarkReadButtonProps) {
  const showToast = useToast()
  const [isBusy, setBusy] = useState(false)
  const mark = async (id: string) => {
    setBusy(true)
    try {
      await feed.markRead(id)
      await refreshNotices(feed)
    } catch (error) {
      showToast(`The notices are still unread. ${explain(error)}`, 'failed')
    } finally {
      setBusy(false)
    }
  }
  const isDone = newest === undefined || unread === 0
  return (
    <Button
      size={size}
      // Stays focusable when all is read, so that the focus does not get lost.
      isBusy={isBusy}
      aria-disabled={isDone || isBusy || undefined}
      onClick={() => {
        if (!isDone) void mark(newest.id)
      }}
    >
      <CheckCheck aria-hidden="true" className="size-4" />
      Mark all as read
    </Button>
  )
}
