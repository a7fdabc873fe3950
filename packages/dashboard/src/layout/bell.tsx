import { Dialog } from '@base-ui/react/dialog'
import { useQuery } from '@tanstack/react-query'
import { useLocation } from '@tanstack/react-router'
import { Bell as BellIcon } from 'lucide-react'
import { Suspense, useRef, useState } from 'react'
import { latestNotices, type NoticeFeed } from '../notices/feed.ts'
import { Loading } from '../ui/states.tsx'
import { lazyPage } from './lazy-page.ts'

/** Loaded when it is first opened, so that the first page stays small. */
const BellPanel = lazyPage(() => import('../notices/bell-panel.tsx'), 'BellPanel')

/** The API does not count further. */
const maxShown = 99

export const bellLook =
  'relative grid size-10 shrink-0 place-items-center rounded-lg text-ink-soft hover:bg-sunken hover:text-ink data-popup-open:bg-sunken data-popup-open:text-ink'

/** A button that shows how many events are unread, and opens the newest ones. A failed count shows nothing: the page itself works. */
export function Bell({ feed }: { readonly feed: NoticeFeed }) {
  const query = useQuery(latestNotices(feed))
  const [isOpen, setOpen] = useState(false)
  const { pathname } = useLocation()
  const isNavigating = useRef(false)
  const close = (to = pathname) => {
    isNavigating.current = to !== pathname
    setOpen(false)
  }
  const unread = query.data?.unread ?? 0
  const count = unread > maxShown ? `${maxShown}+` : String(unread)
  return (
    <Dialog.Root modal={false} open={isOpen} onOpenChange={(next) => (next ? setOpen(true) : close())}>
      <Dialog.Trigger aria-label={unread === 0 ? feed.title : `${feed.title}, ${count} unread`} className={bellLook}>
        <BellIcon aria-hidden="true" className="size-5" />
        {unread > 0 && (
          <span
            aria-hidden="true"
            className="absolute top-0.5 right-0 min-w-4.5 rounded-full bg-accent px-1 text-center text-[0.6875rem] leading-4.5 font-semibold text-on-accent tabular-nums"
          >
            {count}
          </span>
        )}
      </Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Popup
          // After navigation the title of the new page takes the focus.
          finalFocus={() => !isNavigating.current}
          className="fixed inset-x-3 top-15 z-50 flex max-h-[min(36rem,calc(100dvh-5rem))] flex-col rounded-2xl border border-line bg-surface shadow-popup outline-none sm:left-auto sm:w-100 lg:right-auto lg:left-4"
        >
          <Suspense fallback={<Loading lines={6} />}>
            <BellPanel feed={feed} query={query} onFollow={close} />
          </Suspense>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
