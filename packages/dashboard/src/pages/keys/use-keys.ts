import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import type { ApiError } from '../../api/api-error.ts'
import { type Answer, send } from '../../api/call.ts'
import { read } from '../../api/queries.ts'
import { type KeysSearch, readOrder, readTag } from './keys-search.ts'

const pageSize = '50'

/** Loads pages of keys. Control searches and sorts. */
export function useKeys(search: KeysSearch) {
  const q = search.q?.trim() ?? ''
  const tag = readTag(search.tag ?? '')
  const asked = {
    ...{ limit: pageSize, sort: readOrder(search), spend: 'true' as const },
    ...(q !== '' && { q }),
    ...(search.revoked === '1' && { include_revoked: 'true' as const }),
    ...(tag !== null && { [`metadata.${tag[0]}`]: tag[1] })
  }
  return useInfiniteQuery<Answer<'listKeys'>, ApiError, Answer<'listKeys'>['keys'], unknown[], string | undefined>({
    queryKey: ['listKeys', asked],
    queryFn: ({ pageParam: cursor, signal }) => send('listKeys', { query: { ...asked, cursor } }, signal),
    initialPageParam: undefined,
    getNextPageParam: ({ next_cursor: next }) => next ?? undefined,
    select: ({ pages }) => pages.flatMap(({ keys }) => keys),
    placeholderData: keepPreviousData
  })
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
