import { accountName, accountShard } from '@tollgate/state/keyspace/names.ts'
import { readState } from '@tollgate/state/testing/account-state.ts'
import { Person } from '../../person.ts'
import type { ChaosSystem } from '../system/chaos-system.ts'
import { rawChat } from '../traffic/raw-chat.ts'

const question = { model: 'quick', max_tokens: 1, messages: [{ role: 'user', content: 'Hi' }] }

/** A change that control writes to the database first and to Redis second. */
export interface PreparedWrite {
  /** Asks the first replica of control. The answer may never come, so callers ignore it. */
  make(): Promise<unknown>
  /** Whether these bytes carry the change to Redis. */
  isSent(sent: Buffer): boolean
  /** Whether gateways apply the change. */
  hasArrived(): Promise<boolean>
}

export interface Write {
  name: string
  prepare(system: ChaosSystem): Promise<PreparedWrite>
}

/** A new person with a key that every gateway has served. */
async function personWithKey(system: ChaosSystem) {
  const { system: parts, gateways } = system
  const person = await new Person(parts, 'writer').join()
  const account = (await person.me()).body.user.id
  const { id, value: secret } = (await person.createKey('first')).body.key
  const askAll = async () =>
    Promise.all(gateways.map(({ url }) => rawChat(url, { secret, account }, question).then(({ outcome }) => outcome)))
  if ((await askAll()).some((outcome) => outcome !== '200')) throw new Error('a new key was refused')
  const isRefused = async () => (await askAll()).every((outcome) => outcome.startsWith('401'))
  return { person, account, id, isRefused }
}

/** A written record in the Redis protocol: field and version. See `put-records.lua`. */
const writtenRecord = /\r\nr(?::\w+)?\r\n\$\d+\r\n(\d+)\r\n/g

/**
 * Detects a write of a later record than Redis has. The account's name is not enough: control also rewrites unchanged
 * records when it compares a changed shard, and it reads usage.
 */
async function laterWrite(system: ChaosSystem, account: string): Promise<(sent: Buffer) => boolean> {
  const state = await readState(clientOf(system, account), account)
  const latest = Math.max(state.account!.version, ...[...state.keys.values()].map(({ version }) => version))
  return (sent) =>
    sent.includes(accountName(account)) &&
    [...sent.toString('latin1').matchAll(writtenRecord)].some(([, later]) => Number(later) > latest)
}

const clientOf = ({ link }: ChaosSystem, account: string) => link.nodeOf(accountShard(account)).client

export const writes: readonly Write[] = [
  {
    name: 'create a key',
    async prepare(system) {
      const { person, account } = await personWithKey(system)
      const known = async () =>
        (await clientOf(system, account).hkeys(accountName(account))).filter((name) => name.startsWith('r:'))
      const before = (await known()).length
      return {
        make: () => person.createKey('second'),
        isSent: await laterWrite(system, account),
        hasArrived: async () => (await known()).length > before
      }
    }
  },
  {
    name: 'rotate a key',
    async prepare(system) {
      const { person, account, id, isRefused } = await personWithKey(system)
      return {
        make: () => person.call('POST', `/api/keys/${id}/rotate`, {}),
        isSent: await laterWrite(system, account),
        hasArrived: isRefused
      }
    }
  },
  {
    name: 'revoke a key',
    async prepare(system) {
      const { person, account, id, isRefused } = await personWithKey(system)
      return {
        make: () => person.revokeKey(id),
        isSent: await laterWrite(system, account),
        hasArrived: isRefused
      }
    }
  },
  {
    name: 'change a plan',
    async prepare(system) {
      const { account } = await personWithKey(system)
      const operator = await new Person(system.system, 'operator').joinAsOperator()
      return {
        make: () =>
          operator.call('PATCH', `/api/admin/accounts/${account}`, {
            plan: { id: 'pro', ends_at: null },
            reason: 'chaos'
          }),
        isSent: await laterWrite(system, account),
        hasArrived: async () =>
          (await clientOf(system, account).hget(accountName(account), 'r'))?.includes('"id":"pro"') === true
      }
    }
  }
]
