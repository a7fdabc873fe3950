import { useSuspenseQuery } from '@tanstack/react-query'
import type { Answer } from '../api/call.ts'
import { read } from '../api/queries.ts'

export type User = Answer<'getUser'>['user']
export type Account = Answer<'getAccount'>['account']

/** The signed-in user. Only for pages below `/dashboard`: their route loads the user first. */
export const useUser = (): User => useSuspenseQuery(read('getUser')).data.user

/** The account that the user acts for: their own, or their team's. */
export const useAccount = (): Account => useSuspenseQuery(read('getAccount')).data.account
