import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { ApiError } from '../../api/api-error.ts'
import { type Answer, type Input, send } from '../../api/call.ts'
import { read } from '../../api/queries.ts'
import type { KeyFilter } from './key-filters.tsx'

export type KeyOrder = NonNullable<NonNullable<Input<'listKeys'>['query']>['sort']>

const pageSize = '50'
/** A search begins when nothing was typed for so long. */
const pauseMs = 250

/** Loads pages of keys. Control searches and sorts. */
export function useKeys({ text, metadata, withRevoked }: KeyFilter, sort: KeyOrder) {
  const q = useAfterPause(text.trim())
  const asked = {
    ...{ limit: pageSize, sort, spend: 'true' as const },
    ...(q !== '' && { q }),
    ...(withRevoked && { include_revoked: 'true' as const }),
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
  return { query, isSearching: q !== text.trim() || query.isPlaceholderData }
}

/** The text, once it has not changed for a moment. */
function useAfterPause(text: string): string {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), pauseMs)
    return () => clearTimeout(timer)
  }, [text])
  return settled
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
