import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { ApiError } from '../api/api-error.ts'
import { Button } from '../ui/button.tsx'
import { Failure } from '../ui/states.tsx'

/** Instead of a page that cannot be shown at all. */
export function FailurePage({ error, reset }: ErrorComponentProps) {
  const router = useRouter()
  const [isRetrying, setRetrying] = useState(false)
  if (error instanceof ApiError) {
    const retry = async () => {
      setRetrying(true)
      await router.invalidate()
      setRetrying(false)
      reset()
    }
    return (
      <main className="grid min-h-dvh place-items-center">
        <h1 className="sr-only">Tollgate</h1>
        <Failure error={error} onRetry={() => void retry()} isRetrying={isRetrying} />
      </main>
    )
  }
  return (
    <main className="grid min-h-dvh place-items-center px-6">
      <div role="alert" className="max-w-md text-center">
        <h1 className="text-xl font-semibold tracking-tight">This page stumbled</h1>
        <p className="mt-2 text-ink-soft">
          Perhaps there is a newer version of it. Reload it; nothing that was saved is lost.
        </p>
        <Button tone="primary" className="mt-6" onClick={() => window.location.reload()}>
          Reload
        </Button>
      </div>
    </main>
  )
}
