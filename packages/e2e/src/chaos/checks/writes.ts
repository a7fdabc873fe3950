import { createClient } from '@supabase/supabase-js'
import { accountName, accountShard } from '@tollgate/state/keyspace/names.ts'
import { readState } from '@tollgate/state/testing/account-state.ts'
import { Person } from '../../person.ts'
import type { ChaosSystem } from '../system/chaos-system.ts'
import { rawChat } from '../traffic/raw-chat.ts'

const question = { model: 'quick', max_tokens: 1, messages: [{ role: 'user', content: 'Hi' }] }

/** A change that control makes first in the database and then in Redis. */
export type PreparedWrite = {
  /** Asks the first replica of control for it. The answer does not count: it may never come. */
  make(): Promise<unknown>
  /** Whether what is sent to Redis brings it. */
  isSent(sent: Buffer): boolean
  /** Whether gateways go by the change. */
  hasArrived(): Promise<boolean>
}

export type Write = { name: string; prepare(system: ChaosSystem): Promise<PreparedWrite> }

/** Someone new, with a key that every gateway has served. */
async function someoneWithKey(system: ChaosSystem) {
  const { system: parts, gateways } = system
  const person = await new Person(parts, 'writer').join()
  const account = (await person.me()).body.user.id
  const { id, value: secret } = (await person.createKey('first')).body.key
  const askAll = async () =>
    Promise.all(gateways.map(({ url }) => rawChat(url, { secret, account }, question).then(({ outcome }) => outcome)))
  if ((await askAll()).some((outcome) => outcome !== '200')) throw new Error('a new key is refused')
  const isRefused = async () => (await askAll()).every((outcome) => outcome.startsWith('401'))
  return { person, account, id, isRefused }
}

/** A record that is written: its field, and its version. See `put-records.lua`. */
const writtenRecord = /\r\nr(?::\w+)?\r\n\$\d+\r\n(\d+)\r\n/g

/**
 * Tells a write of a later record than Redis has of the account. By the account's name alone it cannot be told: control
 * also writes what is there already, whenever it compares a shard that has changed, and reads usage.
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
      const { person, account } = await someoneWithKey(system)
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
      const { person, account, id, isRefused } = await someoneWithKey(system)
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
      const { person, account, id, isRefused } = await someoneWithKey(system)
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
      const { person, account } = await someoneWithKey(system)
      const { addresses, secrets } = system.system
      const { auth } = createClient(addresses.identity, secrets.serviceRoleKey, { auth: { persistSession: false } })
      const { error } = await auth.admin.updateUserById(account, { app_metadata: { plan: 'pro' } })
      if (error !== null) throw error
      return {
        // The plan is taken over from the identity provider when somebody signs in.
        make: () => person.login(),
        isSent: await laterWrite(system, account),
        hasArrived: async () =>
          (await clientOf(system, account).hget(accountName(account), 'r'))?.includes('"plan":"pro"') === true
      }
    }
  }
]
