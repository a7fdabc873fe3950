import { type ErrorComponentProps, Link, useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { ApiError } from '../api/api-error.ts'
import { brand, titleOf } from '../brand/brand.ts'
import { Button, buttonLook } from '../ui/button.tsx'
import { Failure } from '../ui/states.tsx'
import { pageAttempts } from '../ui/use-auto-retry.ts'
import { BrandLinks } from './logo.tsx'

/** Shown in the place of a page that failed to load or to render. */
export function FailurePart({ error, reset }: ErrorComponentProps) {
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
      <div className="grid min-h-[60dvh] place-items-center">
        <h1 className="sr-only">{brand.name}</h1>
        <Failure error={error} onRetry={() => void retry()} isRetrying={isRetrying} attempts={pageAttempts} />
      </div>
    )
  }
  return (
    <div className="grid min-h-[60dvh] place-items-center px-6">
      <div role="alert" className="max-w-md text-center">
        <h1 className="text-xl font-semibold tracking-tight">Something went wrong</h1>
        <p className="mt-2 text-ink-soft">
          There may be a newer version of this page. Reload it; your saved changes are safe.
        </p>
        <div className="mt-6 flex flex-wrap justify-center gap-2">
          <Button tone="primary" onClick={() => window.location.reload()}>
            Reload page
          </Button>
          {/* A plain link, which loads everything anew. */}
          <a href="/dashboard" className={buttonLook()}>
            Go to the overview
          </a>
        </div>
        <div className="mt-6 flex justify-center empty:hidden">
          <BrandLinks />
        </div>
      </div>
    </div>
  )
}

export function FailurePage(props: ErrorComponentProps) {
  return (
    <main className="grid min-h-dvh place-items-center">
      <FailurePart {...props} />
    </main>
  )
}

/** Shown in the place of a page whose address does not exist. */
export function NotFoundPart() {
  return (
    <div className="grid min-h-[60dvh] place-items-center px-6">
      <title>{titleOf('Page not found')}</title>
      <div className="text-center">
        <h1 className="text-xl font-semibold tracking-tight">Page not found</h1>
        <p className="mt-2 text-ink-soft">Check the address for typos. The page may also have moved.</p>
        <Link to="/dashboard" className={`mt-6 ${buttonLook({ tone: 'primary' })}`}>
          Go to the overview
        </Link>
      </div>
    </div>
  )
}

export function NotFoundPage() {
  return (
    <main className="grid min-h-dvh place-items-center">
      <NotFoundPart />
    </main>
  )
}
