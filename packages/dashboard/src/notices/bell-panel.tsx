import { Dialog } from '@base-ui/react/dialog'
import type { UseQueryResult } from '@tanstack/react-query'
import { Link, useLocation } from '@tanstack/react-router'
import type { EventsResponse } from '@tollgate/contracts/http/notices.ts'
import { type RefObject, useRef } from 'react'
import { textLink } from '../ui/class-names.ts'
import { ScrollRegion } from '../ui/scroll-region.tsx'
import { QueryView } from '../ui/states.tsx'
import { describeNotice } from './describe-notice.ts'
import type { NoticeFeed } from './feed.ts'
import { MarkReadButton, NoticeRow, usePlanNames } from './notice-row.tsx'

interface BellPanelProps {
  readonly feed: NoticeFeed
  readonly query: UseQueryResult<EventsResponse>
  /** The bell. */
  readonly button: RefObject<HTMLButtonElement | null>
  readonly onClose: () => void
}

/** What the bell opens: the newest events, and a link to all of them. It is open while it is rendered. */
export function BellPanel({ feed, query, button, onClose }: BellPanelProps) {
  const { pathname } = useLocation()
  const nameOfPlan = usePlanNames(query.data?.events ?? [])
  const isNavigating = useRef(false)
  const follow = (to: string) => {
    isNavigating.current = to !== pathname
    onClose()
  }
  // A press of the bell closes the panel by itself.
  const isOfBell = (event: Event) =>
    [event.target, (event as FocusEvent).relatedTarget].some(
      (node) => node instanceof Node && button.current?.contains(node) === true
    )
  return (
    <Dialog.Root
      open
      modal={false}
      onOpenChange={(isOpen, { event }) => {
        if (!isOpen && !isOfBell(event)) onClose()
      }}
    >
      <Dialog.Portal>
        <Dialog.Popup
          // After navigation the title of the new page takes the focus.
          finalFocus={() => (isNavigating.current ? false : button.current)}
          className="fixed inset-x-3 top-15 z-50 flex max-h-[min(36rem,calc(100dvh-5rem))] flex-col rounded-2xl border border-line bg-surface shadow-popup outline-none sm:left-auto sm:w-100 lg:right-auto lg:left-4"
        >
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
                        words={describeNotice(notice, feed.isForOperators, nameOfPlan)}
                        onFollow={follow}
                      />
                    ))}
                  </ol>
                )
              }
            </QueryView>
          </ScrollRegion>
          <p className="border-t border-line px-5 py-3 text-sm">
            <Link to={feed.page} className={textLink} onClick={() => follow(feed.page)}>
              See all notices
            </Link>
          </p>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
