import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { disposableEmailBlocklistSet } from 'disposable-email-domains-js'
import { and, eq, gt } from 'drizzle-orm'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Orm } from '../database/connect.ts'
import { invitations } from '../database/schema/accounts.ts'
import { foldCase } from '../http/fold-case.ts'
import { countForSubject, networkOf } from '../http/rate-limit.ts'
import { domainOf } from './mailbox.ts'
import type { SignupSettings } from './signup-settings.ts'

/**
 * Who may get an account. No answer depends on whether an address is registered or invited, before a mailed link proved
 * it.
 */
export interface SignupPolicy {
  /** For somebody who registers. @throws ServiceError `registration_closed`, `address_not_allowed` */
  assertMayRegister(address: string): void
  /** For the address of somebody who is invited. @throws ServiceError `address_not_allowed` */
  assertAddress(address: string): void
  /**
   * For a new user, who proved their address. A user whom an operator created is not checked: see `maySignIn`.
   *
   * @throws ServiceError `registration_closed`, `address_not_allowed`
   */
  assertMayBegin(orm: Orm, address: string, now: Date): Promise<void>
  /** Whether the account of a new user waits for an operator's approval. Not for a user whom an operator created. */
  needsApproval(orm: Orm, address: string, now: Date): Promise<boolean>
}

const onlyInvited =
  'Registration is by invitation only. Open the link in your invitation, or ask the operator for an account.'

export function createSignupPolicy({
  mode,
  allowedDomains,
  blockedDomains,
  acceptsThrowaway
}: SignupSettings): SignupPolicy {
  const [allowed, blocked] = [new Set(allowedDomains), new Set(blockedDomains)]
  const throwaway = acceptsThrowaway ? new Set<string>() : disposableEmailBlocklistSet()
  const has = (domains: ReadonlySet<string>, address: string) =>
    withParents(domainOf(address)).some((domain) => domains.has(domain))
  const refuseUninvited = () => new ServiceError('registration_closed', { message: onlyInvited })

  function assertAddress(address: string): void {
    const isAllowed = allowed.size === 0 || has(allowed, address)
    if (!isAllowed || has(blocked, address) || has(throwaway, address)) throw new ServiceError('address_not_allowed')
  }

  return {
    assertAddress,
    assertMayRegister(address) {
      // Invited people choose their password with the link in their invitation.
      if (mode === 'invited') throw refuseUninvited()
      assertAddress(address)
    },
    async assertMayBegin(orm, address, now) {
      assertAddress(address)
      if (mode === 'invited' && !(await isInvited(orm, address, now))) throw refuseUninvited()
    },
    needsApproval: async (orm, address, now) => mode === 'approved' && !(await isInvited(orm, address, now))
  }
}

async function isInvited(orm: Orm, address: string, now: Date): Promise<boolean> {
  const isOpen = and(eq(invitations.email, foldCase(address)), gt(invitations.endsAt, now))
  return (await orm.$count(invitations, isOpen)) > 0
}

/** `a.b.example` → `a.b.example`, `b.example`, `example`. */
function withParents(domain: string): string[] {
  const labels = domain.split('.')
  return labels.map((_, index) => labels.slice(index).join('.'))
}

const dayMs = 86_400_000

/** Counts a registration. @throws ServiceError `too_many_requests` */
export type CountSignup = (request: FastifyRequest) => Promise<void>

/**
 * Limits the registrations of 24 hours, from the first one on: those from each network, and all. What the first limit
 * refuses does not count for the second. It counts every attempt in the same way, also for an address that is
 * registered.
 */
export function createSignupLimit(
  app: Pick<FastifyInstance, 'attempts'>,
  { perNetworkDay, perDay }: Pick<SignupSettings, 'perNetworkDay' | 'perDay'>
): CountSignup {
  const ofNetwork = { what: 'signups-of-network', max: perNetworkDay, windowMs: dayMs }
  const ofAll = { what: 'signups', max: perDay, windowMs: dayMs }
  return async (request) => {
    const ownWait = await countForSubject(app, ofNetwork, networkOf(request.ip))
    if (ownWait !== null) throw refusal('from your network', ownWait)
    const wait = await countForSubject(app, ofAll, 'all')
    if (wait === null) return
    request.log.warn({ perDay }, 'registrations are refused: SIGNUPS_PER_DAY is reached')
    throw refusal('here', wait)
  }
}

function refusal(where: string, seconds: number): ServiceError {
  const hours = Math.max(1, Math.ceil(seconds / 3600))
  return new ServiceError('too_many_requests', {
    message: `Too many people have registered ${where} today. Try again in ${hours} h.`,
    retryAfter: seconds
  })
}
