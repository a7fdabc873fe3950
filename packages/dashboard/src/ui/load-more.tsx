import type { UseInfiniteQueryResult } from '@tanstack/react-query'
import { Button } from './button.tsx'
import { InlineFailure } from './states.tsx'

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
