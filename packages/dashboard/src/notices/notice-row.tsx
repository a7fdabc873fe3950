import { Link } from '@tanstack/react-router'
import type { EventNotice } from '@tollgate/contracts/http/notices.ts'
import { CircleAlert, Info, TriangleAlert } from 'lucide-react'
import { Moment } from '../ui/moment.tsx'
import { textLink } from '../ui/text-link.ts'
import type { ToldNotice } from './describe-notice.ts'

const looks = {
  info: { icon: Info, color: 'text-ink-soft' },
  warning: { icon: TriangleAlert, color: 'text-warning' },
  danger: { icon: CircleAlert, color: 'text-danger' }
} as const

interface NoticeRowProps {
  readonly notice: EventNotice
  readonly told: ToldNotice
  /** Called with the path of a followed link. */
  readonly onFollow?: (to: string) => void
}

/** An event in one sentence, with its time and a link. */
export function NoticeRow({ notice, told, onFollow }: NoticeRowProps) {
  const { text, tone, link } = told
  const { icon: Icon, color } = looks[tone]
  const isUnread = !notice.seen && told.isRoutine !== true
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
