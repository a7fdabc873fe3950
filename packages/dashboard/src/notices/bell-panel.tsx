import { Dialog } from '@base-ui/react/dialog'
import type { UseQueryResult } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { EventsResponse } from '@tollgate/contracts/http/notices.ts'
import { ScrollRegion } from '../ui/scroll-region.tsx'
import { QueryView } from '../ui/states.tsx'
import { textLink } from '../ui/text-link.ts'
import { describeNotice } from './describe-notice.ts'
import type { NoticeFeed } from './feed.ts'
import { MarkReadButton } from './mark-read-button.tsx'
import { NoticeRow } from './notice-row.tsx'

interface BellPanelProps {
  readonly feed: NoticeFeed
  readonly query: UseQueryResult<EventsResponse>
  /** Called with the path of a followed link. */
  readonly onFollow: (to: string) => void
}

/** What the bell opens: the newest events, and a link to all of them. */
export function BellPanel({ feed, query, onFollow }: BellPanelProps) {
  return (
    <>
      <div className="flex flex-wrap items-center justify-between gap-2 border-b border-line py-2.5 pr-3 pl-5">
        <Dialog.Title className="text-sm font-semibold">{feed.title}</Dialog.Title>
        <MarkReadButton feed={feed} newest={query.data?.events[0]} unread={query.data?.unread ?? 0} size="small" />
      </div>
      <ScrollRegion label="Newest notices" className="relative min-h-40 overflow-y-auto">
        <QueryView query={query} lines={6}>
          {({ events }) =>
            events.length === 0 ? (
              <p className="px-5 py-10 text-center text-sm text-balance text-ink-soft">{feed.whenEmpty}</p>
            ) : (
              <ol className="divide-y divide-line">
                {events.map((notice) => (
                  <NoticeRow
                    key={notice.id}
                    notice={notice}
                    told={describeNotice(notice, feed.isForOperators)}
                    onFollow={onFollow}
                  />
                ))}
              </ol>
            )
          }
        </QueryView>
      </ScrollRegion>
      <p className="border-t border-line px-5 py-3 text-sm">
        <Link to={feed.page} className={textLink} onClick={() => onFollow(feed.page)}>
          See all notices
        </Link>
      </p>
    </>
  )
}
