import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { EventsResponse } from '@tollgate/contracts/http/notices.ts'
import { Bell } from 'lucide-react'
import type { ReactNode } from 'react'
import type { ApiError } from '../api/api-error.ts'
import { describeNotice } from '../notices/describe-notice.ts'
import { accountFeed, type NoticeFeed } from '../notices/feed.ts'
import { MarkReadButton, NoticeRow, usePlanNames } from '../notices/notice-row.tsx'
import { buttonLook } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { Page } from '../ui/page.tsx'
import { Empty, LoadMore, QueryView } from '../ui/states.tsx'

export function NoticesPage() {
  return (
    <NoticesView
      feed={accountFeed}
      settings={
        <Link to="/dashboard/account" hash="notifications" className={buttonLook()}>
          Choose mails and thresholds
        </Link>
      }
    />
  )
}

const pageSize = '50'

interface NoticesViewProps {
  readonly feed: NoticeFeed
  /** A link to what people can choose. */
  readonly settings?: ReactNode
}

/** A page with all events of a feed. */
export function NoticesView({ feed, settings }: NoticesViewProps) {
  const query = useInfiniteQuery<EventsResponse, ApiError, EventsResponse[], readonly unknown[], string | undefined>({
    queryKey: [...feed.key, 'all'],
    queryFn: ({ pageParam: cursor, signal }) => feed.read({ limit: pageSize, cursor }, signal),
    initialPageParam: undefined,
    getNextPageParam: ({ next_cursor: next }) => next ?? undefined,
    select: ({ pages }) => pages
  })
  const nameOfPlan = usePlanNames(query.data?.flatMap(({ events }) => events) ?? [])
  const first = query.data?.[0]
  const newest = first?.events[0]
  return (
    <Page
      title={feed.title}
      description={feed.description}
      isWaiting={query.isPending}
      actions={
        settings === undefined && newest === undefined ? undefined : (
          <>
            {settings}
            {newest !== undefined && <MarkReadButton feed={feed} newest={newest} unread={first?.unread ?? 0} />}
          </>
        )
      }
    >
      <Card isFlush>
        <QueryView query={query} lines={8}>
          {(pages) =>
            first?.events.length === 0 ? (
              <Empty icon={Bell} title="No notices yet">
                {feed.whenEmpty}
              </Empty>
            ) : (
              <ol aria-label="Notices, newest first" className="divide-y divide-line">
                {pages
                  .flatMap(({ events }) => events)
                  .map((notice) => (
                    <NoticeRow
                      key={notice.id}
                      notice={notice}
                      words={describeNotice(notice, feed.isForOperators, nameOfPlan)}
                    />
                  ))}
              </ol>
            )
          }
        </QueryView>
      </Card>
      <LoadMore query={query} text="Show older notices" />
    </Page>
  )
}
