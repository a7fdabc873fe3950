import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { ApiError } from '../../api/api-error.ts'
import { type Answer, send } from '../../api/call.ts'
import type { KeyFilter } from './key-filters.tsx'

const pageSize = '50'

/** Pages of keys. A label is looked for here, and so in all pages: those that are missing are read then. */
export function useKeys({ text, metadata, withRevoked }: KeyFilter) {
  const asked = {
    limit: pageSize,
    ...(withRevoked && { include_revoked: 'true' }),
    ...(metadata !== null && { [`metadata.${metadata[0]}`]: metadata[1] })
  }
  const query = useInfiniteQuery<
    Answer<'listKeys'>,
    ApiError,
    Answer<'listKeys'>['keys'],
    unknown[],
    string | undefined
  >({
    queryKey: ['listKeys', asked],
    queryFn: ({ pageParam: cursor, signal }) => send('listKeys', { query: { ...asked, cursor } }, signal),
    initialPageParam: undefined,
    getNextPageParam: ({ next_cursor: next }) => next ?? undefined,
    select: ({ pages }) => pages.flatMap(({ keys }) => keys),
    placeholderData: keepPreviousData
  })
  const { hasNextPage, isFetchingNextPage, isError, fetchNextPage } = query
  const wanted = text.trim().toLowerCase()
  useEffect(() => {
    if (wanted !== '' && hasNextPage && !isFetchingNextPage && !isError) void fetchNextPage()
  }, [wanted, hasNextPage, isFetchingNextPage, isError, fetchNextPage])
  const shown = (query.data ?? []).filter(({ label }) => label.toLowerCase().includes(wanted))
  return { query, shown }
}
