import type { UseInfiniteQueryResult, UseQueryResult } from '@tanstack/react-query'
import { CloudOff, type LucideIcon } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { explain } from '../api/api-error.ts'
import { Banner } from './banner.tsx'
import { Button } from './button.tsx'
import { type Retry, useAutoRetry } from './use-auto-retry.ts'

interface EmptyProps {
  readonly icon: LucideIcon
  readonly title: string
  /** The next step for the reader. */
  readonly children: ReactNode
  readonly action?: ReactNode
}

/** The empty state of a list. */
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

/** The error state of a page or a card, with a retry button. Temporary failures are also retried without it. */
export function Failure({ attempts, ...retry }: Retry & { readonly attempts?: { current: number } }) {
  const { error, onRetry, isRetrying } = retry
  const isRepeated = useAutoRetry(retry, attempts)
  return (
    <div role="alert" className="flex flex-col items-center px-6 py-12 text-center">
      <span className="mb-4 grid size-11 place-items-center rounded-xl bg-danger-soft text-danger">
        <CloudOff aria-hidden="true" className="size-5" />
      </span>
      <p className="font-medium">This could not be loaded</p>
      <p className="mt-1 max-w-md text-sm text-balance text-ink-soft">
        {explain(error)}
        {isRepeated && ' This page also tries on its own.'}
      </p>
      <Button className="mt-5" onClick={onRetry} isBusy={isRetrying}>
        Try again
      </Button>
    </div>
  )
}

/** Like {@link Failure}, but as a banner beside content that was loaded. */
function InlineFailure({ children, ...retry }: Retry & { readonly children: ReactNode }) {
  const { error, onRetry, isRetrying } = retry
  useAutoRetry(retry)
  return (
    <Banner tone="danger" isAnnounced>
      <p>
        {children} {explain(error)}
      </p>
      <Button size="small" className="mt-2" onClick={onRetry} isBusy={isRetrying}>
        Try again
      </Button>
    </Banner>
  )
}

interface LoadingProps {
  readonly lines?: number
  /** Whether its place keeps its height, so that what follows need not wait. */
  readonly hasFinalHeight?: boolean
}

/** By class, because the first view of a page is HTML, in which the content security policy refuses styles. */
const lineWidths = ['w-11/12', 'w-3/4', 'w-5/6', 'w-2/3']

/**
 * Grey placeholder lines. What follows on the page appears together with the content (`styles.css`): the height of most
 * content is unknown, and nothing may move while somebody reads or taps.
 */
export function Loading({ lines = 4, hasFinalHeight = false }: LoadingProps) {
  return (
    <div role="status" data-waiting={hasFinalHeight ? undefined : ''} className="space-y-3 p-5">
      <span className="sr-only">Loading…</span>
      {Array.from({ length: lines }, (_, line) => (
        <div
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines are identical and never move
          key={line}
          className={`h-4 motion-safe:animate-pulse rounded bg-sunken ${lineWidths[line % lineWidths.length]}`}
        />
      ))}
    </div>
  )
}

interface QueryViewProps<Data> extends LoadingProps {
  readonly query: UseQueryResult<Data> | UseInfiniteQueryResult<Data>
  readonly children: (data: Data) => ReactNode
}

/**
 * Shows the data of a query, its loading state or its error. Data that failed to refresh is marked as possibly out of
 * date.
 */
export function QueryView<Data>({ query, children, ...loading }: QueryViewProps<Data>) {
  // While a query without data is retried, it has no error. The failure stays: nothing flickers, and its button keeps
  // the focus.
  const [latest, setLatest] = useState<unknown>(null)
  if (query.error !== null && query.error !== latest) setLatest(query.error)
  const isRetried = query.isPending && query.errorUpdateCount > 0
  const error = query.error ?? (isRetried ? latest : null)
  const onRetry = () => void query.refetch({ cancelRefetch: false })
  const retry = { error, onRetry, isRetrying: query.isFetching }
  if (query.data !== undefined) {
    // `LoadMore` reports a failed next page. The pages before it are not out of date.
    const isOld = query.error !== null && !('isFetchNextPageError' in query && query.isFetchNextPageError)
    return (
      <>
        {isOld && (
          <div className="p-5">
            <InlineFailure {...retry}>This could not be refreshed and may be out of date.</InlineFailure>
          </div>
        )}
        {children(query.data)}
      </>
    )
  }
  if (error !== null) return <Failure {...retry} />
  return <Loading {...loading} />
}

interface LoadMoreProps {
  readonly query: UseInfiniteQueryResult
  /** The button's text, such as `Show older invoices`. */
  readonly text: string
}

/** A button below a list that loads the next page, or the error of the last attempt. */
export function LoadMore({ query, text }: LoadMoreProps) {
  const { hasNextPage, isFetchNextPageError, isFetchingNextPage, error } = query
  const read = () => void query.fetchNextPage({ cancelRefetch: false })
  if (isFetchNextPageError) {
    return (
      <InlineFailure error={error} onRetry={read} isRetrying={isFetchingNextPage}>
        The rest could not be loaded.
      </InlineFailure>
    )
  }
  if (!hasNextPage) return null
  return (
    <div className="text-center">
      <Button onClick={read} isBusy={isFetchingNextPage}>
        {text}
      </Button>
    </div>
  )
}
