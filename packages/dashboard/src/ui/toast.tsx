import { CircleAlert, CircleCheck } from 'lucide-react'
import { createContext, type ReactNode, useCallback, useContext, useEffect, useState } from 'react'
import { createPortal } from 'react-dom'

const shownMs = 5000

type Tone = 'done' | 'failed'
type ShowToast = (text: string, tone?: Tone) => void

const looks = {
  done: { icon: CircleCheck, color: 'text-accent' },
  failed: { icon: CircleAlert, color: 'text-danger' }
} as const

const ToastContext = createContext<ShowToast>(() => {})

/** @returns a function that shows a message about a finished or failed action for a few seconds */
export const useToast = (): ShowToast => useContext(ToastContext)

/** Shows one toast at a time, at the bottom of the window. */
export function ToastProvider({ children }: { readonly children: ReactNode }) {
  const [toast, setToast] = useState<{ readonly text: string; readonly tone: Tone } | null>(null)
  const showToast = useCallback<ShowToast>((text, tone = 'done') => setToast({ text, tone }), [])
  useEffect(() => {
    if (toast === null) return
    const timer = setTimeout(() => setToast(null), shownMs)
    return () => clearTimeout(timer)
  }, [toast])
  return (
    <ToastContext value={showToast}>
      {children}
      {createPortal(
        // Rendered outside the page, because screen readers ignore the page while a dialog is open.
        <div
          role="status"
          aria-live="polite"
          className="pointer-events-none fixed inset-x-0 bottom-4 z-60 flex justify-center px-4"
        >
          {toast !== null && <Toast {...toast} />}
        </div>,
        document.body
      )}
    </ToastContext>
  )
}

function Toast({ text, tone }: { readonly text: string; readonly tone: Tone }) {
  const { icon: Icon, color } = looks[tone]
  return (
    <p className="flex max-w-md items-center gap-2.5 rounded-xl border border-line bg-surface px-4 py-3 text-sm break-words shadow-popup">
      <Icon aria-hidden="true" className={`size-4 shrink-0 ${color}`} />
      {text}
    </p>
  )
}
