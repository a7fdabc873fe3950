import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { ApiError } from '../../api/api-error.ts'
import { type Answer, send } from '../../api/call.ts'
import { read } from '../../api/queries.ts'
import type { KeyFilter } from './key-filters.tsx'

const pageSize = '50'

/** Loads pages of keys. The label filter runs in the browser, so a search loads all remaining pages. */
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
  const search = text.trim().toLowerCase()
  const isSearching = search !== '' && hasNextPage && !isFetchNextPageError
  useEffect(() => {
    if (isSearching && !isFetchingNextPage && !isPlaceholderData) void fetchNextPage()
  }, [isSearching, isFetchingNextPage, isPlaceholderData, fetchNextPage])
  const shown = (query.data ?? []).filter(({ label }) => label.toLowerCase().includes(search))
  return { query, shown, isSearching: isSearching || isPlaceholderData }
}

/** Whether an account without active keys has revoked keys to show; undefined while unknown. */
export function useHasRevoked(isAsked: boolean): boolean | undefined {
  const { data, isError } = useQuery({
    ...read('listKeys', { query: { limit: '1', include_revoked: 'true' } }),
    enabled: isAsked
  })
  // If the check fails, offer the filter for revoked keys anyway.
  return data === undefined ? (isError ? true : undefined) : data.keys.length > 0
}
