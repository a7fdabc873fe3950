import { CircleAlert, CircleCheck } from 'lucide-react'
import { createContext, type ReactNode, useCallback, useContext, useEffect, useState } from 'react'
import { createPortal } from 'react-dom'

const shownMs = 5000

type Tone = 'done' | 'failed'
type Tell = (text: string, tone?: Tone) => void

const looks = {
  done: { icon: CircleCheck, color: 'text-accent' },
  failed: { icon: CircleAlert, color: 'text-danger' }
} as const

const NewsContext = createContext<Tell>(() => {})

/** @returns a function that tells what has just been done, or could not be, for a few seconds */
export const useNews = (): Tell => useContext(NewsContext)

/** Where news appears, below everything else in the page. */
export function NewsProvider({ children }: { readonly children: ReactNode }) {
  const [news, setNews] = useState<{ readonly text: string; readonly tone: Tone } | null>(null)
  const tell = useCallback<Tell>((text, tone = 'done') => setNews({ text, tone }), [])
  useEffect(() => {
    if (news === null) return
    const timer = setTimeout(() => setNews(null), shownMs)
    return () => clearTimeout(timer)
  }, [news])
  return (
    <NewsContext value={tell}>
      {children}
      {createPortal(
        // Beside the page, not in it: while a dialog is open nothing in the page is announced.
        <div
          role="status"
          aria-live="polite"
          className="pointer-events-none fixed inset-x-0 bottom-4 z-60 flex justify-center px-4"
        >
          {news !== null && <News {...news} />}
        </div>,
        document.body
      )}
    </NewsContext>
  )
}

function News({ text, tone }: { readonly text: string; readonly tone: Tone }) {
  const { icon: Icon, color } = looks[tone]
  return (
    <p className="flex max-w-md items-center gap-2.5 rounded-xl border border-line bg-surface px-4 py-3 text-sm break-words shadow-popup">
      <Icon aria-hidden="true" className={`size-4 shrink-0 ${color}`} />
      {text}
    </p>
  )
}
