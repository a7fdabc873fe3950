import {
  accountName,
  accountShard,
  deadlinesName,
  endedHoldPrefix,
  uncopiedName,
  usageIndexName
} from '../keyspace/names.ts'
import { type AccountModel, type ReapedCharge, reservedOf } from './account-model.ts'
import { parseState } from './account-state.ts'
import type { RedisContent } from './redis-content.ts'
import { reservedInBudget } from './windows-model.ts'

/** The exact content of Redis that these models predict, without amounts of 0. */
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
    if (account.month !== null) put(accountName(id), { ...amountsOf(account), d: account.firstDeadline })
    put(accountName(id), { endedUntil: account.endedUntil, ...budgetsOf(account) })
    put(deadlinesName(shard), { [id]: account.firstDeadline })
    for (const [request, ended] of account.ended) {
      content[endedHoldPrefix(id) + request] = ended === 'cancelled' ? ended : textOf(ended)
    }
    for (const [name, { born, revision, finalIn, counters }] of account.usage) {
      const amounts = [...counters].map(([counter, amount]) => [`${counter}|${name}`, amount])
      put(accountName(id), {
        [`born|${name}`]: born,
        [`rev|${name}`]: revision,
        [`listed|${name}`]: 1,
        ...Object.fromEntries(amounts)
      })
      put(uncopiedName(shard), { [`${id}:${name}`]: '' })
      put(usageIndexName(shard), { [`${id}:${name}`]: finalIn })
    }
  }
  return content
}

function budgetsOf(account: AccountModel): Record<string, number> {
  const fields: Record<string, number> = {}
  for (const [field, { window, settled, corrections }] of account.budgets) {
    const amounts = { window, settled, reserved: reservedInBudget(account, field), corrections }
    for (const [name, amount] of Object.entries(amounts)) fields[`${name}|${field}`] = amount
  }
  return fields
}

function textOf({ nanos, promptTokens, completionTokens, at, of, budgets }: ReapedCharge): string {
  const [key, ...model] = of.split('|')
  return [nanos, promptTokens, completionTokens, at, `${key} ${budgets}`.trim(), ...model].join('|')
}

/** Each amount of an account as a separate field. */
function amountsOf(account: AccountModel): Record<string, number | string | null> {
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
    if (!/^(acct|deadlines|gone|uncopied|rows):/.test(name)) continue
    if (typeof value === 'string') result[name] = value
    else {
      const fields = (/^acct:/.test(name) ? readAmounts : Object.entries<string>)(value)
      const present = fields.filter(([, text]) => text !== '0')
      if (present.length > 0) result[name] = Object.fromEntries(present)
    }
  }
  return result
}

/** Each amount of an account as a separate field, without amounts of keys from an earlier month. */
function readAmounts(fields: Record<string, string>): Array<[field: string, text: string]> {
  const packed = Object.entries(fields).map(([field, text]) => [field, Buffer.from(text, 'latin1')])
  const { account, keys, holds, budgets, usage, endedUntil } = parseState(Object.fromEntries(packed))
  const { month = 0, settled = 0, reserved = 0, open = 0, arrival = 0, tokenArrival = 0, due = 0 } = account ?? {}
  const amounts = Object.entries({ m: month, s: settled, r: reserved, open, d: due, endedUntil })
  const rates: Array<[string, number]> = [
    ['q', arrival],
    ['t', tokenArrival]
  ]
  for (const [key, entry] of keys) {
    if (entry.month === month) amounts.push([`s:${key}`, entry.settled], [`r:${key}`, entry.reserved])
    rates.push([`q:${key}`, entry.arrival])
  }
  for (const [field, budget] of budgets) {
    for (const [name, amount] of Object.entries(budget)) amounts.push([`${name}|${field}`, amount])
  }
  for (const [name, row] of usage) {
    const { revision, born, isListed, ...counts } = row
    const counters = { ...counts, rev: revision, born, listed: isListed }
    for (const [counter, amount] of Object.entries(counters)) amounts.push([`${counter}|${name}`, amount])
  }
  return [
    ...amounts.map(([field, amount]): [string, string] => [field, String(amount)]),
    ...rates.filter(([, at]) => at !== 0).map(([field, at]): [string, string] => [field, at.toFixed(2)]),
    ...[...holds].map(([id, hold]): [string, string] => [`h:${id}`, Object.values(hold).join('|')])
  ]
}
