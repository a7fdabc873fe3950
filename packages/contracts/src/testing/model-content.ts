import {
  accountShard,
  deadlinesName,
  dirtyName,
  gonePrefix,
  holdName,
  limitName,
  spendName,
  usageIndexName,
  usagePrefix
} from '../keyspace/names.ts'
import { type AccountModel, reservedOf } from './account-model.ts'
import type { RedisContent } from './redis-content.ts'

/** What Redis must hold of accounts that are as these models, to the letter; amounts of zero are left out. */
export function contentOf(accounts: ReadonlyMap<string, AccountModel>): RedisContent {
  const content: RedisContent = {}
  const put = (name: string, fields: Record<string, number | string | null>): void => {
    const present = Object.entries(fields).filter(([, value]) => value !== null && value !== 0)
    const before = (content[name] ?? {}) as Record<string, string>
    const all = { ...before, ...Object.fromEntries(present.map(([field, value]) => [field, String(value)])) }
    if (Object.keys(all).length > 0) content[name] = all
  }
  for (const [id, account] of accounts) {
    const shard = accountShard(id)
    put(spendName(id), { m: account.month, ...spendFields(account) })
    put(limitName(id), { d: account.firstDeadline })
    put(deadlinesName(shard), { [id]: account.firstDeadline })
    for (const [field, arrival] of account.arrivals) put(limitName(id), { [field]: arrival.toFixed(2) })
    for (const [request, hold] of account.holds) put(holdName(id), { [request]: Object.values(hold).join('|') })
    for (const [request, gone] of account.gone) {
      content[gonePrefix(id) + request] = gone === 'cancelled' ? gone : Object.values(gone).join('|')
    }
    for (const [suffix, { born, revision, finalIn, counters }] of account.usage) {
      const name = usagePrefix(id) + suffix
      put(name, { born, rev: revision, ...Object.fromEntries(counters) })
      put(dirtyName(shard), { [name]: revision })
      put(usageIndexName(shard), { [name]: finalIn })
    }
  }
  return content
}

function spendFields(account: AccountModel): Record<string, number> {
  const fields: Record<string, number> = {}
  if (account.month === null) return fields
  for (const [key, nanos] of account.settled) fields[key === '' ? 's' : `s:${key}`] = nanos
  fields.r = reservedOf(account)
  for (const { key } of account.holds.values()) fields[`r:${key}`] = reservedOf(account, key)
  return fields
}

/** The part of a database that the models describe, in the same form. */
export function comparable(content: RedisContent): RedisContent {
  const result: RedisContent = {}
  for (const [name, value] of Object.entries(content)) {
    if (!/^(spend|limit|hold|deadlines|gone|usage|dirty|usages):/.test(name)) continue
    if (typeof value === 'string') result[name] = value
    else {
      const fields = name.startsWith('usage:') ? readCounters(value) : Object.entries(value)
      result[name] = Object.fromEntries(fields.filter(([, text]) => text !== '0'))
    }
  }
  return result
}

const counters = ['n', 'e', 'p', 'c', 'o', 'u', 'x', 'y']

/** Each counter as a field of its own, `<counter>|<key>|<model>`. */
function readCounters(usage: Record<string, string>): Array<[field: string, text: string]> {
  return Object.entries(usage).flatMap(([field, value]): Array<[string, string]> => {
    if (!field.includes('|')) return [[field, value]]
    const packed = Buffer.from(value, 'latin1')
    return counters.map((counter, index) => [`${counter}|${field}`, String(packed.readDoubleLE(8 * index))])
  })
}
