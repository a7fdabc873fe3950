import { useSuspenseQuery } from '@tanstack/react-query'
import type { Answer } from '../api/call.ts'
import { read } from '../api/queries.ts'

export type User = Answer<'getUser'>['user']
export type Account = Answer<'getAccount'>['account']

/** Who is signed in. For pages below `/dashboard`, which are not shown before this is known. */
export const useUser = (): User => useSuspenseQuery(read('getUser')).data.user

/** The account that they act for: their own, or their team's. */
export const useAccount = (): Account => useSuspenseQuery(read('getAccount')).data.account
