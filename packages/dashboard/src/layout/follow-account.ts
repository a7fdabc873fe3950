import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { queryClient, read } from '../api/queries.ts'

/** As often as notices are read. */
const pollMs = 60_000

/**
 * Reads everything again once the user acts for another account, such as after the owner removed them from the team: the page
 * must not go on to show the team's data.
 */
export function useFollowAccount(): void {
  const { data } = useQuery({ ...read('getAccount'), refetchInterval: pollMs })
  const id = data?.account.id
  const shown = useRef(id)
  useEffect(() => {
    if (id === undefined || id === shown.current) return
    const isFirst = shown.current === undefined
    shown.current = id
    if (isFirst) return
    queryClient.removeQueries({ type: 'inactive' })
    // The account itself was just read.
    void queryClient.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'getAccount' })
  }, [id])
}
