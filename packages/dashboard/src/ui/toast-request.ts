export interface ToastRequest {
  /** Counts up. */
  readonly id: number
  readonly text: string
  readonly tone: 'done' | 'failed'
  /** Takes the act back. Its failure is shown in another toast. */
  readonly undo?: (() => Promise<unknown>) | undefined
}

/** @param more.undo adds a button that takes the act back */
export type ShowToast = (text: string, tone?: ToastRequest['tone'], more?: Pick<ToastRequest, 'undo'>) => void

export interface ToastsProps {
  /** All toasts so far. */
  readonly requests: readonly ToastRequest[]
  readonly showToast: ShowToast
  /** The region whose new texts screen readers announce. */
  readonly region: HTMLElement
}

/** The classes of the place where toasts appear. */
export const toastPlace = 'fixed inset-x-4 bottom-4 z-60 mx-auto max-w-md sm:right-6 sm:bottom-6 sm:mr-0 sm:ml-auto'
