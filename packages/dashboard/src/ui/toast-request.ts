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
