import { CircleCheck } from 'lucide-react'
import { createContext, type ReactNode, useCallback, useContext, useEffect, useState } from 'react'

const shownMs = 5000

const NewsContext = createContext<(text: string) => void>(() => {})

/** @returns a function that tells what has just been done, for a few seconds */
export const useNews = (): ((text: string) => void) => useContext(NewsContext)

/** Where news appears, below everything else in the page. */
export function NewsProvider({ children }: { readonly children: ReactNode }) {
  const [news, setNews] = useState<{ readonly text: string } | null>(null)
  const tell = useCallback((text: string) => setNews({ text }), [])
  useEffect(() => {
    if (news === null) return
    const timer = setTimeout(() => setNews(null), shownMs)
    return () => clearTimeout(timer)
  }, [news])
  return (
    <NewsContext value={tell}>
      {children}
      <div role="status" className="pointer-events-none fixed inset-x-0 bottom-4 z-60 flex justify-center px-4">
        {news !== null && (
          <p className="flex max-w-md items-center gap-2.5 rounded-xl border border-line bg-surface px-4 py-3 text-sm break-words shadow-popup">
            <CircleCheck aria-hidden="true" className="size-4 shrink-0 text-accent" />
            {news.text}
          </p>
        )}
      </div>
    </NewsContext>
  )
}
