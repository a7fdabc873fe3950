import type { Redis } from 'ioredis'
import { accountName, accountShard, deadlinesName } from '../keyspace/names.ts'
import { expandLayouts, layouts, type Packed } from '../layout/layouts.ts'
import { packParts, unpackParts } from '../wire/packed.ts'

/** The hash of an account without its records: see layout/account.lua. Amounts are nanodollars, arrival times µs. */
export interface AccountState {
  /** Null if its spend is not seeded. */
  account: AccountEntry | null
  keys: Map<string, KeyEntry>
  /** By request. */
  holds: Map<string, HoldEntry>
  /** By field: see layout/budget.lua. */
  budgets: Map<string, BudgetEntry>
  /** By `<hour>:<run>|<key>|<model>`. */
  usage: Map<string, UsageEntry>
  /** When the last entry of ended-hold.lua expires, ms since the epoch; 0 without entries. */
  endedUntil: number
}

/** No hold ends before `due`, ms; 0 without holds. */
export type AccountEntry = Packed<typeof layouts.account>
export type KeyEntry = Packed<typeof layouts.key>
export type HoldEntry = Omit<Packed<typeof layouts.hold>, 'keyField'> & { key: string }
export type BudgetEntry = Packed<typeof layouts.budget>
export type UsageEntry = Packed<typeof layouts.wholeRow>

/** Rare counters at the end are missing while they are 0. */
const bytesOfWholeRow = 8 * Object.keys(layouts.wholeRow).length

/** @param fields of the hash */
export function parseState(fields: Readonly<Record<string, Buffer>>): AccountState {
  const state: AccountState = {
    account: null,
    keys: new Map(),
    holds: new Map(),
    budgets: new Map(),
    usage: new Map(),
    endedUntil: 0
  }
  for (const [field, packed] of Object.entries(fields)) {
    const of = field.slice(2)
    if (field === 'a') {
      const entry = unpackParts(layouts.account, packed)
      state.endedUntil = entry.endedUntil
      if (entry.month > 0) state.account = entry
    } else if (field.startsWith('k:')) state.keys.set(of, unpackParts(layouts.key, packed))
    else if (field.startsWith('h:')) state.holds.set(of, holdOf(packed))
    else if (/^[btqo][idwml]:/.test(field)) state.budgets.set(field, unpackParts(layouts.budget, packed))
    else if (field.startsWith('u:'))
      state.usage.set(of, unpackParts(layouts.wholeRow, Buffer.concat([packed], bytesOfWholeRow)))
  }
  return state
}

export async function readState(client: Redis, account: string): Promise<AccountState> {
  return parseState(await client.hgetallBuffer(accountName(account)))
}

/** Changes parts of an account. Other parts keep their value, or become 0. */
export async function changeAccount(client: Redis, account: string, changed: Partial<AccountEntry>): Promise<void> {
  await change(client, account, 'a', layouts.account, changed)
}

/** The same for a key. */
export async function changeKey(
  client: Redis,
  account: string,
  key: string,
  changed: Partial<KeyEntry>
): Promise<void> {
  await change(client, account, `k:${key}`, layouts.key, changed)
}

/** The same for a budget with a window. @param field from `budgetField` */
export async function changeBudget(
  client: Redis,
  account: string,
  field: string,
  changed: Partial<BudgetEntry>
): Promise<void> {
  await change(client, account, field, layouts.budget, changed)
}

export async function putHold(client: Redis, account: string, id: string, { key, ...hold }: HoldEntry): Promise<void> {
  const packed = packParts(layouts.hold, { ...hold, keyField: `k:${key}` })
  await client.hset(accountName(account), `h:${id}`, Buffer.from(packed, 'latin1'))
}

const endAllHolds = expandLayouts(`
  local fields = redis.call('HGETALL', KEYS[1])
  for n = 1, #fields, 2 do
    local field, value = fields[n], fields[n + 1]
    if field == 'a' then
      local EACH(account, NAME) = struct.unpack(FORM(account), value)
      due = 1
      redis.call('HSET', KEYS[1], field, struct.pack(FORM(account), EACH(account, NAME)))
    elseif string.sub(field, 1, 2) == 'h:' then
      local EACH(hold, NAME) = struct.unpack(FORM(hold), value)
      deadline = 1
      redis.call('HSET', KEYS[1], field, struct.pack(FORM(hold), EACH(hold, NAME)))
    end
  end`)

/** Makes all holds of an account overdue. */
export async function passDeadlines(client: Redis, account: string): Promise<void> {
  await client.eval(endAllHolds, 1, accountName(account))
  await client.zadd(deadlinesName(accountShard(account)), 1, account)
}

/** Removes all spend, rates and holds of an account. Records and their versions stay. */
export async function loseSpend(client: Redis, account: string): Promise<void> {
  const name = accountName(account)
  for (const field of await client.hkeys(name)) {
    const layout = field === 'a' ? layouts.account : field.startsWith('k:') ? layouts.key : null
    if (layout !== null) {
      const { version } = unpackParts(layout, (await client.hgetBuffer(name, field))!)
      await client.hset(name, field, packNumbersOf(layout, { version }))
    } else if (field.startsWith('h:')) await client.hdel(name, field)
  }
}

type Numbers = Readonly<Record<string, 'd'>>

async function change(
  client: Redis,
  account: string,
  field: string,
  layout: Numbers,
  changed: Readonly<Record<string, number>>
): Promise<void> {
  const name = accountName(account)
  const packed = await client.hgetBuffer(name, field)
  const present = packed === null ? {} : unpackParts(layout, packed)
  await client.hset(name, field, packNumbersOf(layout, { ...present, ...changed }))
}

function packNumbersOf(layout: Numbers, values: Readonly<Record<string, number>>): Buffer {
  const zeros = Object.fromEntries(Object.keys(layout).map((part) => [part, 0]))
  return Buffer.from(packParts<Record<string, 'd'>>(layout, { ...zeros, ...values }), 'latin1')
}

function holdOf(packed: Buffer): HoldEntry {
  const { keyField, model, budgets, ...hold } = unpackParts(layouts.hold, packed)
  return { ...hold, key: keyField.slice('k:'.length), model, budgets }
}
