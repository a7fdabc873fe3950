import {
  accountShard,
  booksName,
  deadlinesName,
  dirtyName,
  gonePrefix,
  usageIndexName,
  usagePrefix
} from '../keyspace/names.ts'
import { type AccountModel, reservedOf } from './account-model.ts'
import { parseBooks } from './books.ts'
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
    if (account.month !== null) put(booksName(id), { ...booksOf(account), d: account.firstDeadline })
    put(deadlinesName(shard), { [id]: account.firstDeadline })
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

/** The books of an account, each amount as a field of its own. */
function booksOf(account: AccountModel): Record<string, number | string | null> {
  const fields: Record<string, number | string | null> = { m: account.month, open: account.holds.size }
  for (const [rate, arrival] of account.arrivals) fields[rate] = arrival === 0 ? 0 : arrival.toFixed(2)
  for (const [request, hold] of account.holds) fields[`h:${request}`] = Object.values(hold).join('|')
  for (const [key, nanos] of account.settled) fields[key === '' ? 's' : `s:${key}`] = nanos
  fields.r = reservedOf(account)
  for (const { key } of account.holds.values()) fields[`r:${key}`] = reservedOf(account, key)
  return fields
}

/** The part of a database that the models describe, in the same form. */
export function comparable(content: RedisContent): RedisContent {
  const result: RedisContent = {}
  for (const [name, value] of Object.entries(content)) {
    if (!/^(books|deadlines|gone|usage|dirty|usages):/.test(name)) continue
    if (typeof value === 'string') result[name] = value
    else {
      const read = /^books:/.test(name) ? readAmounts : /^usage:/.test(name) ? readCounters : Object.entries<string>
      result[name] = Object.fromEntries(read(value).filter(([, text]) => text !== '0'))
    }
  }
  return result
}

/** Each amount of books as a field of its own. What keys have of an earlier month does not count. */
function readAmounts(fields: Record<string, string>): Array<[field: string, text: string]> {
  const packed = Object.entries(fields).map(([field, text]) => [field, Buffer.from(text, 'latin1')])
  const { account, keys, holds } = parseBooks(Object.fromEntries(packed))
  const { month, settled, reserved, open, arrival, tokenArrival, due } = account!
  const amounts = Object.entries({ m: month, s: settled, r: reserved, open, d: due })
  const rates: Array<[string, number]> = [
    ['q', arrival],
    ['t', tokenArrival]
  ]
  for (const [key, entry] of keys) {
    if (entry.month === month) amounts.push([`s:${key}`, entry.settled], [`r:${key}`, entry.reserved])
    rates.push([`q:${key}`, entry.arrival])
  }
  return [
    ...amounts.map(([field, amount]): [string, string] => [field, String(amount)]),
    ...rates.filter(([, at]) => at !== 0).map(([field, at]): [string, string] => [field, at.toFixed(2)]),
    ...[...holds].map(([id, hold]): [string, string] => [`h:${id}`, Object.values(hold).join('|')])
  ]
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
