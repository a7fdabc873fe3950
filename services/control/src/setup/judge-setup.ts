import type { Setup } from '@tollgate/contracts/http/setup.ts'

/** What an account has, as far as the steps of a new account need it. */
export interface SetupFacts {
  readonly role: 'owner' | 'seat'
  readonly hasKey: boolean
  /** Also a call from the playground. */
  readonly hasUsage: boolean
  /** Members besides the owner, and invitations. */
  readonly hasInvited: boolean
  /** Seats of the plan, the owner's included; null for any number. */
  readonly seatLimit: number | null
  readonly isOnFreePlan: boolean
  /** Whether any plan can be bought. */
  readonly arePlansOnSale: boolean
}

/** Lists the steps that apply to the caller. Nobody can sign in without a confirmed address, so the first is always done. */
export function judgeSetup(facts: SetupFacts): Setup['steps'] {
  const isOwner = facts.role === 'owner'
  const mayInvite = isOwner && (facts.seatLimit === null || facts.seatLimit > 1)
  return [
    { step: 'confirm_address', done: true },
    { step: 'create_key', done: facts.hasKey },
    { step: 'first_call', done: facts.hasUsage },
    ...(mayInvite ? [{ step: 'invite_member' as const, done: facts.hasInvited }] : []),
    ...(isOwner && (facts.arePlansOnSale || !facts.isOnFreePlan)
      ? [{ step: 'choose_plan' as const, done: !facts.isOnFreePlan }]
      : [])
  ]
}
