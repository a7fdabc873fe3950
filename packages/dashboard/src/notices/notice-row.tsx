import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { EventNotice } from '@tollgate/contracts/http/notices.ts'
import { CheckCheck, CircleAlert, Info, TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import { explain } from '../api/api-error.ts'
import { read } from '../api/queries.ts'
import { Button } from '../ui/button.tsx'
import { textLink } from '../ui/class-names.ts'
import { Moment } from '../ui/moment.tsx'
import { useToast } from '../ui/toast.tsx'
import type { NameOf, ToldNotice } from './describe-notice.ts'
import { type NoticeFeed, refreshNotices } from './feed.ts'

const looks = {
  info: { icon: Info, color: 'text-ink-soft' },
  warning: { icon: TriangleAlert, color: 'text-warning' },
  danger: { icon: CircleAlert, color: 'text-danger' }
} as const

interface NoticeRowProps {
  readonly notice: EventNotice
  readonly words: ToldNotice
  /** Called with the path of a followed link. */
  readonly onFollow?: (to: string) => void
}

/** An event in one sentence, with its time and a link. */
export function NoticeRow({ notice, words, onFollow }: NoticeRowProps) {
  const { text, tone, link } = words
  const { icon: Icon, color } = looks[tone]
  const isUnread = !notice.seen && words.isRoutine !== true
  return (
    <li className="flex gap-3 px-5 py-3.5 text-sm">
      <Icon aria-hidden="true" className={`mt-0.5 size-4 shrink-0 ${color}`} />
      <div className="min-w-0 flex-1">
        <p className={`break-words ${isUnread ? 'font-medium' : ''}`}>
          {isUnread && <span className="sr-only">Unread: </span>}
          {text}
        </p>
        <p className="mt-1 flex flex-wrap gap-x-4 gap-y-1 text-[0.8125rem] text-ink-soft">
          <Moment at={notice.at} />
          {link !== undefined && (
            <Link to={link.to} search={link.search ?? {}} className={textLink} onClick={() => onFollow?.(link.to)}>
              {link.text}
            </Link>
          )}
        </p>
      </div>
      <span
        aria-hidden="true"
        className={`mt-1.5 size-2 shrink-0 rounded-full ${isUnread ? 'bg-accent' : 'bg-transparent'}`}
      />
    </li>
  )
}

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

/**
 * The names of plans by id, and of members, whose budgets events may be about. Each is read once an event needs it. A plan
 * that the catalog has lost keeps its id.
 */
export function usePlanNames(events: readonly EventNotice[]): NameOf {
  const isOfMember = ({ data }: EventNotice): boolean => 'member_id' in data && data.member_id !== null
  const team = useQuery({ ...read('getTeam'), enabled: events.some(isOfMember) })
  const { data } = useQuery({
    ...read('listPlans'),
    enabled: events.some(({ type }) => type === 'plan.changed')
  })
  return (id) => {
    const plan = data?.plans.find((one) => one.id === id)
    if (plan !== undefined) return plan.name
    const member = team.data?.team.members.find((one) => one.id === id)
    return member === undefined ? id : member.name || member.email
  }
}
