import type { UseInfiniteQueryResult, UseQueryResult } from '@tanstack/react-query'
import { CloudOff, type LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { explain } from '../api/api-error.ts'
import { Banner } from './banner.tsx'
import { Button } from './button.tsx'

type EmptyProps = {
  readonly icon: LucideIcon
  readonly title: string
  /** What to do next. */
  readonly children: ReactNode
  readonly action?: ReactNode
}

/** A list without anything in it. */
export function Empty({ icon: Icon, title, children, action }: EmptyProps) {
  return (
    <div className="flex flex-col items-center px-6 py-12 text-center">
      <span className="mb-4 grid size-11 place-items-center rounded-xl bg-accent-soft text-accent">
        <Icon aria-hidden="true" className="size-5" />
      </span>
      <p className="font-medium">{title}</p>
      <div className="mt-1 max-w-md text-sm text-balance text-ink-soft">{children}</div>
      {action !== undefined && <div className="mt-5">{action}</div>}
    </div>
  )
}

type FailureProps = { readonly error: unknown; readonly onRetry: () => void; readonly isRetrying: boolean }

/** What could not be read, why, and another try. */
export function Failure({ error, onRetry, isRetrying }: FailureProps) {
  return (
    <div role="alert" className="flex flex-col items-center px-6 py-12 text-center">
      <span className="mb-4 grid size-11 place-items-center rounded-xl bg-danger-soft text-danger">
        <CloudOff aria-hidden="true" className="size-5" />
      </span>
      <p className="font-medium">This could not be loaded</p>
      <p className="mt-1 max-w-md text-sm text-balance text-ink-soft">{explain(error)}</p>
      <Button className="mt-5" onClick={onRetry} isBusy={isRetrying}>
        Try again
      </Button>
    </div>
  )
}

/** As {@link Failure}, beside something that could be read. */
export function Trouble({ error, onRetry, isRetrying, children }: FailureProps & { readonly children: ReactNode }) {
  return (
    <Banner tone="danger" isNews>
      <p>
        {children} {explain(error)}
      </p>
      <Button size="small" className="mt-2" onClick={onRetry} isBusy={isRetrying}>
        Try again
      </Button>
    </Banner>
  )
}

/** Grey lines where text will be. */
export function Loading({ lines = 4 }: { readonly lines?: number }) {
  return (
    <div role="status" className="space-y-3 p-5">
      <span className="sr-only">Loading…</span>
      {Array.from({ length: lines }, (_, line) => (
        <div
          // biome-ignore lint/suspicious/noArrayIndexKey: lines are all alike and never move
          key={line}
          className="h-4 motion-safe:animate-pulse rounded bg-sunken"
          style={{ width: `${92 - ((line * 17) % 40)}%` }}
        />
      ))}
    </div>
  )
}

type QueryViewProps<Data> = {
  readonly query: UseQueryResult<Data> | UseInfiniteQueryResult<Data>
  readonly lines?: number
  readonly children: (data: Data) => ReactNode
}

/** What a query has read, or that it is reading, or why it could not; or that what it has read may be old. */
export function QueryView<Data>({ query, lines, children }: QueryViewProps<Data>) {
  const retry = { error: query.error, onRetry: () => void query.refetch(), isRetrying: query.isFetching }
  if (query.data !== undefined) {
    // A further page that failed makes none of those before it old: `More` tells of it.
    const isOld = query.error !== null && !('isFetchNextPageError' in query && query.isFetchNextPageError)
    return (
      <>
        {isOld && (
          <div className="p-5">
            <Trouble {...retry}>This could not be read again, and may be old.</Trouble>
          </div>
        )}
        {children(query.data)}
      </>
    )
  }
  if (query.error !== null) return <Failure {...retry} />
  return <Loading {...(lines !== undefined && { lines })} />
}
