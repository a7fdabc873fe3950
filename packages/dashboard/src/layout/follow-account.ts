import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { queryClient, read } from '../api/queries.ts'
import { buttonLook } from '../ui/button.tsx'
import { linkTo, openBlockingDialog } from './blocking-dialog.ts'
import type { Account } from './owner.tsx'

/** As often as notices are read. */
const pollMs = 60_000

let isExpected = false

/** Notes that this tab itself changes the account, so that nobody has to be told. */
export function expectOtherAccount(): void {
  isExpected = true
}

/**
 * Says so once the user acts for another account, such as after the owner removed them from the team, and loads the
 * dashboard anew. Until then the page must not go on to show the team's data, so everything is read again.
 */
export function useFollowAccount(): void {
  const { data } = useQuery({ ...read('getAccount'), refetchInterval: pollMs })
  const account = data?.account
  const lastId = useRef(account?.id)
  useEffect(() => {
    if (account === undefined || account.id === lastId.current) return
    const isFirst = lastId.current === undefined
    lastId.current = account.id
    if (isFirst) return
    queryClient.removeQueries({ type: 'inactive' })
    // The account itself was just read.
    void queryClient.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'getAccount' })
    if (isExpected) isExpected = false
    else sayChanged(account.role)
  }, [account])
}

function sayChanged(role: Account['role']): void {
  openBlockingDialog({
    id: 'account-changed',
    ...(role === 'seat'
      ? { title: 'You have joined a team', text: 'From now on you use the team’s plan, keys and budget.' }
      : {
          title: 'You are no longer in the team',
          text: 'From now on you use your own account, with its own plan, keys and budget.'
        }),
    links: [linkTo('Continue', '/dashboard', buttonLook({ tone: 'primary' }))]
  })
}
