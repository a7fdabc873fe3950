import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { ApiError } from '../../api/api-error.ts'
import { type Answer, send } from '../../api/call.ts'
import { read } from '../../api/queries.ts'
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
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, isPlaceholderData, fetchNextPage } = query
  const wanted = text.trim().toLowerCase()
  const isLooking = wanted !== '' && hasNextPage && !isFetchNextPageError
  useEffect(() => {
    if (isLooking && !isFetchingNextPage && !isPlaceholderData) void fetchNextPage()
  }, [isLooking, isFetchingNextPage, isPlaceholderData, fetchNextPage])
  const shown = (query.data ?? []).filter(({ label }) => label.toLowerCase().includes(wanted))
  return { query, shown, isLooking: isLooking || isPlaceholderData }
}

/** Whether an account that has no key in use has revoked ones, which can be shown; undefined until that is known. */
export function useHasRevoked(isAsked: boolean): boolean | undefined {
  const { data, isError } = useQuery({
    ...read('listKeys', { query: { limit: '1', include_revoked: 'true' } }),
    enabled: isAsked
  })
  // Nothing is hidden for good because this question has failed.
  return data === undefined ? (isError ? true : undefined) : data.keys.length > 0
}
