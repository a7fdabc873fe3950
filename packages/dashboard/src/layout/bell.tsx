import { useQuery } from '@tanstack/react-query'
import { Bell as BellIcon } from 'lucide-react'
import { useRef, useState } from 'react'
import { latestNotices, type NoticeFeed } from '../notices/feed.ts'
import { dialogOnDemand } from './lazy-dialog.tsx'

/** Loaded when it is first opened, so that the first page stays small. */
const BellPanel = dialogOnDemand(() => import('../notices/bell-panel.tsx'), 'BellPanel')

/** The API does not count further. */
const maxShown = 99

export const bellLook =
  'relative grid size-10 shrink-0 place-items-center rounded-lg text-ink-soft hover:bg-sunken hover:text-ink aria-expanded:bg-sunken aria-expanded:text-ink'

/**
 * A button that shows how many events are unread, and opens the newest ones. A failed count shows nothing: the page
 * itself works.
 */
export function Bell({ feed }: { readonly feed: NoticeFeed }) {
  const query = useQuery(latestNotices(feed))
  const [isOpen, setOpen] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const unread = query.data?.unread ?? 0
  const count = unread > maxShown ? `${maxShown}+` : String(unread)
  return (
    <>
      <button
        ref={button}
        type="button"
        aria-label={unread === 0 ? feed.title : `${feed.title}, ${count} unread`}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onPointerEnter={BellPanel.preload}
        onClick={() => setOpen(!isOpen)}
        className={bellLook}
      >
        <BellIcon aria-hidden="true" className="size-5" />
        {unread > 0 && (
          <span
            aria-hidden="true"
            className="absolute top-0.5 right-0 min-w-4.5 rounded-full bg-accent px-1 text-center text-[0.6875rem] leading-4.5 font-semibold text-on-accent tabular-nums"
          >
            {count}
          </span>
        )}
      </button>
      {isOpen && <BellPanel feed={feed} query={query} button={button} onClose={() => setOpen(false)} />}
    </>
  )
}
