import { randomUUID } from 'node:crypto'
import type { CreatedKey } from '@tollgate/contracts/http/keys.ts'
import { type Answer, Person } from '../../person.ts'
import type { ChaosSystem } from '../system/chaos-system.ts'
import { rawChat } from './send-steadily.ts'

const question = { model: 'quick', max_tokens: 1, messages: [{ role: 'user', content: 'Hi' }] }
/** How soon a key expires when a test sets its expiry. */
export const expiresWithinMs = 1500

/** A change that restricts a key or an account. */
export interface PreparedChange {
  /** Asks control for the change. */
  make(): Promise<Answer<unknown>>
  /** Control's answer while Redis does not have the change. */
  pending: { status: number; code: string | null }
  /** Whether a repeated call repeats the change, instead of reporting whether the first is in force. */
  repeats: boolean
  /** Asks each gateway twice, since a new rate limit may admit the first request. @returns outcomes */
  ask(): Promise<string[]>
  /** How outcomes begin before the change. */
  old: string
  /** How outcomes begin after it. */
  new: string
  /** Whether control reports the change as in force; null if no endpoint reports it. */
  isReportedInForce(): Promise<boolean | null>
}

export interface Change {
  name: string
  prepare(system: ChaosSystem): Promise<PreparedChange>
}

const reason = 'chaos'
const changePending = { status: 503, code: 'change_pending' }

/** A new person with a key that every gateway has served. */
async function personWithKey(system: ChaosSystem, plan?: string): Promise<{ person: Person; key: CreatedKey }> {
  const person = await new Person(system.system, 'changing').join(plan)
  const { status, body } = await person.createKey('to change')
  if (status !== 201) throw new Error(`a key could not be created: ${status}`)
  const first = await askAll(system, body.key.value)
  if (first.some((outcome) => outcome !== '200')) throw new Error(`a new key was refused: ${first.join(', ')}`)
  return { person, key: body.key }
}

const askAll = (system: ChaosSystem, secret: string): Promise<string[]> =>
  Promise.all(
    [...system.gateways, ...system.gateways].map(async ({ url }) => {
      const { outcome } = await rawChat(url, { secret, account: '' }, question)
      return outcome
    })
  )

/** A change of one key. */
const changeKey = (
  name: string,
  refusal: string,
  make: (person: Person, id: string) => Promise<Answer<unknown>>,
  { pending = changePending, repeats = false }: Partial<Pick<PreparedChange, 'pending' | 'repeats'>> = {}
): Change => ({
  name,
  async prepare(system) {
    const { person, key } = await personWithKey(system)
    return {
      make: () => make(person, key.id),
      pending,
      repeats,
      ask: () => askAll(system, key.value),
      old: '200',
      new: refusal,
      async isReportedInForce() {
        const { body } = await person.call<{ key?: { in_force?: boolean } }>('GET', `/api/keys/${key.id}`)
        return body.key?.in_force ?? null
      }
    }
  }
})

const patchKey = (name: string, refusal: string, terms: () => object): Change =>
  changeKey(name, refusal, (person, id) => person.call('PATCH', `/api/keys/${id}`, terms()))

/** An expiry soon after now. Computed once, since a repeated call must send the same body. */
const nearerEnd = (): string => new Date(Date.now() + expiresWithinMs).toISOString()

/** A change of an account by an operator. */
const byOperator = (
  name: string,
  refusal: string,
  make: (operator: Person, account: string, key: CreatedKey) => () => Promise<Answer<unknown>>,
  pending = changePending
): Change => ({
  name: `an operator ${name}`,
  async prepare(system) {
    const operator = await new Person(system.system, 'operator').joinAsOperator()
    const { person, key } = await personWithKey(system)
    const { id } = (await person.me()).body.user
    return {
      make: make(operator, id, key),
      pending,
      repeats: false,
      ask: () => askAll(system, key.value),
      old: '200',
      new: refusal,
      isReportedInForce: async () => null
    }
  }
})

/** A person with a key of their own account and an invitation to a team. */
async function invited(system: ChaosSystem) {
  const owner = await new Person(system.system, 'owner').join('pro')
  const { person, key } = await personWithKey(system)
  const invitation = await owner.call<{ invitation: { link: string } }>('POST', '/api/team/seats', {
    email: person.email
  })
  if (invitation.status !== 201) throw new Error(`an invitation got ${invitation.status}`)
  const token = invitation.body.invitation.link.split('/').at(-1)!
  const accept = () => person.call('POST', `/api/team/invitations/${token}/accept`, {})
  return { owner, person, key, accept }
}

const suspended = '403 account_suspended'
const seatChange = { pending: changePending, repeats: false, isReportedInForce: async () => null }

export const changes: readonly Change[] = [
  changeKey('rotate a key', '401', (person, id) => person.call('POST', `/api/keys/${id}/rotate`, {}), {
    pending: { status: 202, code: null },
    repeats: true
  }),
  changeKey('revoke a key', '401 revoked_api_key', (person, id) => person.revokeKey(id), {
    pending: { status: 503, code: 'revocation_pending' }
  }),
  patchKey("a key's budget", '402 key_budget_exceeded', () => ({ monthly_budget_usd: 0 })),
  patchKey("a key's rate", '429 requests_per_minute', () => ({ requests_per_minute: 1 })),
  patchKey("a key's models", '403 model_not_allowed', () => ({ models: ['steady'] })),
  patchKey('pause a key', '403 paused_api_key', () => ({ paused: true })),
  {
    name: "a key's expiry",
    prepare(system) {
      let end: string | null = null
      const terms = () => {
        end ??= nearerEnd()
        return { expires_at: end }
      }
      return patchKey("a key's expiry", '401 expired_api_key', terms).prepare(system)
    }
  },
  {
    name: "an account's cap",
    async prepare(system) {
      const { person, key } = await personWithKey(system)
      return {
        make: () => person.call('PATCH', '/api/account', { monthly_budget_usd: 0 }),
        pending: changePending,
        repeats: false,
        ask: () => askAll(system, key.value),
        old: '200',
        new: '402 monthly_budget_exceeded',
        isReportedInForce: async () => null
      }
    }
  },
  byOperator('suspends an account', '403 account_suspended', (operator, id) => {
    return () => operator.call('POST', `/api/admin/accounts/${id}/suspend`, { reason })
  }),
  byOperator('lowers a cap', '402 monthly_budget_exceeded', (operator, id) => {
    const limits = { monthly_budget_usd: 0, ends_at: null }
    return () => operator.call('PATCH', `/api/admin/accounts/${id}`, { limits, reason })
  }),
  byOperator('charges an account', '402 monthly_budget_exceeded', (operator, id) => {
    const charge = { id: randomUUID(), amount_usd: 1_000_000, month: new Date().toISOString().slice(0, 7) }
    return () => operator.call('POST', `/api/admin/accounts/${id}/adjustments`, { ...charge, reason })
  }),
  byOperator(
    'revokes a reported key',
    '401 revoked_api_key',
    (operator, _id, { value }) =>
      () =>
        operator.call('POST', '/api/admin/keys/revoke', { value, reason }),
    { status: 503, code: 'revocation_pending' }
  ),
  {
    name: 'take a seat',
    async prepare(system) {
      const { key, accept } = await invited(system)
      return { ...seatChange, make: accept, ask: () => askAll(system, key.value), old: '200', new: suspended }
    }
  },
  {
    name: 'remove a seat',
    async prepare(system) {
      const { owner, person, key, accept } = await invited(system)
      const { id } = (await person.me()).body.user
      const { status } = await accept()
      if (status !== 200) throw new Error(`accepting an invitation got ${status}`)
      return {
        ...seatChange,
        make: () => owner.call('DELETE', `/api/team/seats/${id}`),
        ask: () => askAll(system, key.value),
        old: suspended,
        new: '200'
      }
    }
  }
]
