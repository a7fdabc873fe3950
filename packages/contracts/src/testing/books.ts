import type { Redis } from 'ioredis'
import { booksName } from '../keyspace/names.ts'
import { packNumbers, packText } from '../redis/packed.ts'

/** The books of an account as scripts/parts/books.lua keeps them. Amounts are nanodollars, times of arrival µs. */
export type Books = {
  /** Null if they are not seeded. */
  account: AccountEntry | null
  keys: Map<string, KeyEntry>
  /** By request. */
  holds: Map<string, HoldEntry>
}

/** `due`: the instant before which no hold ends, ms; 0 if there is none. */
export type AccountEntry = Record<(typeof accountFields)[number], number>
export type KeyEntry = Record<(typeof keyFields)[number], number>
/** As in scripts/parts/hold.lua. */
export type HoldEntry = Record<(typeof holdNumbers)[number], number> & Record<(typeof holdTexts)[number], string>

const accountFields = ['month', 'settled', 'reserved', 'open', 'arrival', 'tokenArrival', 'due'] as const
const keyFields = ['month', 'settled', 'reserved', 'arrival'] as const
const holdNumbers = ['deadline', 'at', 'granted', 'nanos', 'promptTokens', 'tokens', 'tokensPerMinute'] as const
const holdTexts = ['tag', 'key', 'model'] as const

/** @param fields of the hash */
export function parseBooks(fields: Readonly<Record<string, Buffer>>): Books {
  const books: Books = { account: null, keys: new Map(), holds: new Map() }
  for (const [field, packed] of Object.entries(fields)) {
    if (field === 'a') books.account = numbersOf(accountFields, packed)
    else if (field.startsWith('k:')) books.keys.set(field.slice(2), numbersOf(keyFields, packed))
    else books.holds.set(field.slice(2), { ...numbersOf(holdNumbers, packed), ...textsOf(packed) })
  }
  return books
}

export async function readBooks(client: Redis, account: string): Promise<Books> {
  return parseBooks(await client.hgetallBuffer(booksName(account)))
}

/** Changes what the books say of the account; what is not named is as it was, or 0. */
export async function changeAccount(client: Redis, account: string, changed: Partial<AccountEntry>): Promise<void> {
  const present = (await readBooks(client, account)).account
  const entry = { ...present, ...changed }
  await client.hset(booksName(account), 'a', pack(accountFields, entry))
}

export async function putKeyEntry(client: Redis, account: string, key: string, entry: KeyEntry): Promise<void> {
  await client.hset(booksName(account), `k:${key}`, pack(keyFields, entry))
}

export async function putHold(client: Redis, account: string, id: string, hold: HoldEntry): Promise<void> {
  const texts = Buffer.from(holdTexts.map((field) => packText(hold[field])).join(''), 'latin1')
  await client.hset(booksName(account), `h:${id}`, Buffer.concat([pack(holdNumbers, hold), texts]))
}

function pack<Field extends string>(fields: readonly Field[], entry: Readonly<Partial<Record<Field, number>>>): Buffer {
  return Buffer.from(packNumbers(...fields.map((field) => entry[field] ?? 0)), 'latin1')
}

function numbersOf<Field extends string>(fields: readonly Field[], packed: Buffer): Record<Field, number> {
  return Object.fromEntries(fields.map((field, index) => [field, packed.readDoubleLE(8 * index)])) as Record<
    Field,
    number
  >
}

function textsOf(packed: Buffer): Record<(typeof holdTexts)[number], string> {
  const [tag, key, model] = packed.toString('utf8', 8 * holdNumbers.length).split('\0') as [string, string, string]
  return { tag, key, model }
}
