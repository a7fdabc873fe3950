import { createContext, lazy, type ReactNode, Suspense, useCallback, useContext, useState } from 'react'
import { createPortal } from 'react-dom'
import { type ShowToast, type ToastRequest, type ToastsProps, toastPlace } from './toast-request.ts'

const ToastContext = createContext<ShowToast>(() => {})

/** @returns a function that shows a message about a finished or failed action for a few seconds */
export const useToast = (): ShowToast => useContext(ToastContext)

/** Loaded with the first toast, so that the first page stays small. */
const ToastStack = lazy(() =>
  import('./toast-stack.tsx').then(
    ({ ToastStack: component }) => ({ default: component }),
    // Without a connection the message is often that there is none.
    () => ({ default: PlainToast })
  )
)

/** Shows toasts in a stack at the bottom of the window. */
export function ToastProvider({ children }: { readonly children: ReactNode }) {
  const [requests, setRequests] = useState<readonly ToastRequest[]>([])
  const [region, setRegion] = useState<HTMLElement | null>(null)
  const showToast = useCallback<ShowToast>(
    (text, tone = 'done', more) =>
      setRequests((before) => [...before, { id: before.length, text, tone, undo: more?.undo }]),
    []
  )
  return (
    <ToastContext value={showToast}>
      {children}
      {/* Here before the first toast: screen readers announce only what is added to a region that they know. */}
      {createPortal(<div ref={setRegion} role="status" aria-live="polite" aria-atomic="false" />, document.body)}
      {requests.length > 0 && region !== null && (
        <Suspense fallback={null}>
          <ToastStack requests={requests} showToast={showToast} region={region} />
        </Suspense>
      )}
    </ToastContext>
  )
}

/** The newest message, if the code of the stack cannot be loaded. */
function PlainToast({ requests, region }: ToastsProps) {
  return createPortal(
    <p className={`${toastPlace} rounded-xl border border-line bg-surface px-4 py-3 text-sm shadow-popup`}>
      {requests.at(-1)?.text}
    </p>,
    region
  )
}
