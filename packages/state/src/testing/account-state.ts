import type { Redis } from 'ioredis'
import { accountName } from '../keyspace/names.ts'
import { createUnpacker, packNumbers, packText } from '../wire/packed.ts'

/** The hash of an account as layout/account.lua keeps it, but for records. Amounts are nanodollars, times of arrival µs. */
export type AccountState = {
  /** Null if its spend is not seeded. */
  account: AccountEntry | null
  keys: Map<string, KeyEntry>
  /** By request. */
  holds: Map<string, HoldEntry>
  /** By `<hour>:<run>|<key>|<model>`. */
  usage: Map<string, UsageEntry>
  /** Until when there may be what a request left whose hold ended before it did, ms since the epoch; 0 if there is nothing. */
  gone: number
}

/** `due`: the instant before which no hold ends, ms; 0 if there is none. `gone` as above. */
export type AccountEntry = Record<(typeof accountFields)[number], number>
export type KeyEntry = Record<(typeof keyFields)[number], number>
/** As in layout/hold.lua. */
export type HoldEntry = Record<(typeof holdNumbers)[number], number> & Record<(typeof holdTexts)[number], string>
/** As in layout/usage.lua. */
export type UsageEntry = Record<(typeof usageFields)[number], number>

const accountFields = [
  'version',
  'month',
  'settled',
  'reserved',
  'open',
  'arrival',
  'tokenArrival',
  'due',
  'gone'
] as const
const keyFields = ['version', 'month', 'settled', 'reserved', 'arrival'] as const
const holdNumbers = ['deadline', 'at', 'granted', 'nanos', 'promptTokens', 'tokens', 'tokensPerMinute'] as const
const holdTexts = ['tag', 'key', 'model'] as const
const usageFields = [
  'requests',
  'failed',
  'prompt',
  'cached',
  'completion',
  'nanos',
  'estimated',
  'estimatedNanos',
  'revision',
  'born',
  'isListed'
] as const

/** @param fields of the hash */
export function parseState(fields: Readonly<Record<string, Buffer>>): AccountState {
  const state: AccountState = { account: null, keys: new Map(), holds: new Map(), usage: new Map(), gone: 0 }
  for (const [field, packed] of Object.entries(fields)) {
    const of = field.slice(2)
    if (field === 'a') {
      const entry = numbersOf(accountFields, packed)
      state.gone = entry.gone
      if (entry.month > 0) state.account = entry
    } else if (field.startsWith('k:')) state.keys.set(of, numbersOf(keyFields, packed))
    else if (field.startsWith('h:')) state.holds.set(of, holdOf(packed))
    else if (field.startsWith('u:')) state.usage.set(of, numbersOf(usageFields, packed))
  }
  return state
}

export async function readState(client: Redis, account: string): Promise<AccountState> {
  return parseState(await client.hgetallBuffer(accountName(account)))
}

/** Changes what is kept of an account; what is not named is as it was, or 0. */
export async function changeAccount(client: Redis, account: string, changed: Partial<AccountEntry>): Promise<void> {
  await change(client, account, 'a', accountFields, changed)
}

/** The same for a key. */
export async function changeKey(
  client: Redis,
  account: string,
  key: string,
  changed: Partial<KeyEntry>
): Promise<void> {
  await change(client, account, `k:${key}`, keyFields, changed)
}

export async function putHold(client: Redis, account: string, id: string, hold: HoldEntry): Promise<void> {
  const texts = packText(hold.tag) + packText(`k:${hold.key}`) + packText(hold.model)
  await client.hset(
    accountName(account),
    `h:${id}`,
    Buffer.concat([pack(holdNumbers, hold), Buffer.from(texts, 'latin1')])
  )
}

/** Takes everything but the records and their versions: as if it had never been seeded, and nothing been admitted. */
export async function loseSpend(client: Redis, account: string): Promise<void> {
  const name = accountName(account)
  for (const field of await client.hkeys(name)) {
    const kept = field === 'a' ? accountFields : field.startsWith('k:') ? keyFields : null
    if (kept !== null) {
      const { version } = numbersOf(['version'], (await client.hgetBuffer(name, field))!)
      await client.hset(name, field, pack<string>(kept, { version }))
    } else if (field.startsWith('h:')) await client.hdel(name, field)
  }
}

async function change<Field extends string>(
  client: Redis,
  account: string,
  of: string,
  fields: readonly Field[],
  changed: Readonly<Partial<Record<Field, number>>>
): Promise<void> {
  const name = accountName(account)
  const packed = await client.hgetBuffer(name, of)
  const present = packed === null ? {} : numbersOf(fields, packed)
  await client.hset(name, of, pack<Field>(fields, { ...present, ...changed }))
}

function pack<Field extends string>(fields: readonly Field[], entry: Readonly<Partial<Record<Field, number>>>): Buffer {
  return Buffer.from(packNumbers(...fields.map((field) => entry[field] ?? 0)), 'latin1')
}

function numbersOf<Field extends string>(fields: readonly Field[], packed: Buffer): Record<Field, number> {
  const { number } = createUnpacker(packed)
  return Object.fromEntries(fields.map((field) => [field, number()])) as Record<Field, number>
}

function holdOf(packed: Buffer): HoldEntry {
  const { text } = createUnpacker(packed.subarray(8 * holdNumbers.length))
  return { ...numbersOf(holdNumbers, packed), tag: text(), key: text().slice('k:'.length), model: text() }
}
