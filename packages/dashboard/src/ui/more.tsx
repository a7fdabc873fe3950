import type { UseInfiniteQueryResult } from '@tanstack/react-query'
import { Button } from './button.tsx'
import { Trouble } from './states.tsx'

type MoreProps = {
  readonly query: UseInfiniteQueryResult
  /** Such as `Show older invoices`. */
  readonly text: string
}

/** Below a list that comes in pages: the next one, or why it could not be read. */
export function More({ query, text }: MoreProps) {
  const { hasNextPage, isFetchNextPageError, isFetchingNextPage, error } = query
  const read = () => void query.fetchNextPage()
  if (isFetchNextPageError) {
    return (
      <Trouble error={error} onRetry={read} isRetrying={isFetchingNextPage}>
        There is more, which could not be read.
      </Trouble>
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
