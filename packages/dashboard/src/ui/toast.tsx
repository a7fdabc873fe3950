import { createContext, lazy, type ReactNode, Suspense, useCallback, useContext, useState } from 'react'
import type { ShowToast, ToastRequest } from './toast-request.ts'

const ToastContext = createContext<ShowToast>(() => {})

/** @returns a function that shows a message about a finished or failed action for a few seconds */
export const useToast = (): ShowToast => useContext(ToastContext)

/** Loaded after the page. Screen readers announce a toast only if the stack was there before it. */
const ToastStack = lazy(() => import('./toast-stack.tsx').then(({ ToastStack: component }) => ({ default: component })))

/** Shows toasts in a stack at the bottom of the window. */
export function ToastProvider({ children }: { readonly children: ReactNode }) {
  const [requests, setRequests] = useState<readonly ToastRequest[]>([])
  const showToast = useCallback<ShowToast>(
    (text, tone = 'done', more) =>
      setRequests((before) => [...before, { id: before.length, text, tone, undo: more?.undo }]),
    []
  )
  return (
    <ToastContext value={showToast}>
      {children}
      <Suspense fallback={null}>
        <ToastStack requests={requests} showToast={showToast} />
      </Suspense>
    </ToastContext>
  )
}
