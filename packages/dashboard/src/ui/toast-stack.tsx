import { Toast } from '@base-ui/react/toast'
import { CircleAlert, CircleCheck, X } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { explain } from '../api/api-error.ts'
import { Button } from './button.tsx'
import { type ToastRequest, type ToastsProps, toastPlace } from './toast-request.ts'

const shownMs = 5000
/** Longer, so that there is time to reach the button. */
const undoableMs = 10_000

const looks = {
  done: { icon: CircleCheck, color: 'text-accent' },
  failed: { icon: CircleAlert, color: 'text-danger' }
} as const

export function ToastStack(props: ToastsProps) {
  return (
    <Toast.Provider limit={3} timeout={shownMs}>
      <Toasts {...props} />
    </Toast.Provider>
  )
}

/** Base UI sets `aria-modal`, which only a dialog may have. */
const notModal = { 'aria-modal': undefined }

/** The region around the stack announces it. */
const notLive = { 'aria-live': undefined, 'aria-atomic': undefined, 'aria-relevant': undefined }

function Toasts({ requests, showToast, region }: ToastsProps) {
  const { toasts, add, close } = Toast.useToastManager<ToastRequest>()
  const count = useRef(0)
  useEffect(() => {
    for (const request of requests.slice(count.current)) {
      add({
        description: request.text,
        data: request,
        timeout: request.undo === undefined ? shownMs : undoableMs
      })
    }
    count.current = requests.length
  }, [requests, add])
  const undo = async (id: string, request: ToastRequest) => {
    close(id)
    await request.undo?.().catch((error: unknown) => showToast(`This could not be undone. ${explain(error)}`, 'failed'))
  }
  return (
    <Toast.Portal container={region}>
      <Toast.Viewport
        // Not a landmark: it is empty most of the time.
        role="group"
        {...notLive}
        className={toastPlace}
      >
        {toasts.map((toast) => {
          const request = toast.data
          const { icon: Icon, color } = looks[request?.tone ?? 'done']
          return (
            <Toast.Root key={toast.id} toast={toast} role="group" {...notModal} className="toast">
              <Toast.Content className="flex items-center gap-2.5 overflow-hidden px-4 py-3 text-sm transition-opacity data-behind:opacity-0 data-expanded:opacity-100">
                <Icon aria-hidden="true" className={`size-4 shrink-0 ${color}`} />
                <Toast.Description className="min-w-0 flex-1 break-words" />
                {request?.undo !== undefined && (
                  <Button size="small" onClick={() => void undo(toast.id, request)}>
                    Undo
                  </Button>
                )}
                <Toast.Close
                  aria-label="Close message"
                  className="-my-1 -mr-2 grid size-8 shrink-0 place-items-center rounded-lg text-ink-soft hover:bg-sunken hover:text-ink"
                >
                  <X aria-hidden="true" className="size-4" />
                </Toast.Close>
              </Toast.Content>
            </Toast.Root>
          )
        })}
      </Toast.Viewport>
    </Toast.Portal>
  )
}
