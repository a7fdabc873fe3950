import { accountShard } from '../keyspace/names.ts'

/** What requests of one key to one model used, added up. An amount that was corrected downwards may be below zero. */
export type UsageRow = {
  key: string
  model: string
  requests: number
  errors: number
  promptTokens: number
  /** Part of `promptTokens`. */
  cachedTokens: number
  completionTokens: number
  costNanos: number
  /** How many of the requests, and nanodollars of the cost, are estimated. */
  estimatedRequests: number
  estimatedNanos: number
}

/** A usage hash as it was at one instant: see scripts/parts/usage.lua. */
export type Usage = {
  name: string
  account: string
  /** Hour of admission, whole hours since the epoch. */
  hour: number
  /**
   * Which hash of the account and hour: tag of the run, the hour in which it began if that was late, and when it began.
   * Copies of the same one replace each other; what several of them hold adds up.
   */
  run: string
  /** Raised by every change, as far as `born` is the same. */
  revision: number
  /** When it began, µs since the epoch; '' if it does not say. */
  born: string
  rows: UsageRow[]
}

const nameForm = /^usage:\{(a[0-9a-f]{2})\}:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}):([1-9][0-9]{0,6}):([\w~-]+)$/
const fieldForm = /^([^|]+)\|(.+)$/s
const integer = /^-?[0-9]+$/

/** In the order in which a field has them, as doubles. */
const counters = [
  'requests',
  'errors',
  'promptTokens',
  'cachedTokens',
  'completionTokens',
  'costNanos',
  'estimatedRequests',
  'estimatedNanos'
] as const satisfies ReadonlyArray<keyof UsageRow>

/** Longer ones cannot be part of an index of Postgres. */
const maxNameBytes = 500

export const isUsageName = (name: string): boolean => nameForm.test(name)

/**
 * @param fields of the hash, of which there is at least one
 * @throws Error saying what is wrong with it. Counters that this release does not know are passed over.
 */
export function parseUsage(name: string, fields: Readonly<Record<string, Buffer>>): Usage {
  const [, shard, account, hour, tag] = nameForm.exec(name) ?? []
  if (account === undefined || accountShard(account) !== shard) throw new Error('its name is not that of usage')
  const { rev, born, ...rest } = fields
  const begun = born?.toString() ?? ''
  return {
    name,
    account,
    hour: Number(hour),
    run: begun === '' ? tag! : `${tag}.${parseInteger(begun)}`,
    revision: parseInteger(rev?.toString() ?? ''),
    born: begun,
    rows: Object.entries(rest).map(([field, packed]) => parseRow(field, packed))
  }
}

function parseRow(field: string, packed: Buffer): UsageRow {
  const [, key, model] = fieldForm.exec(field) ?? []
  if (key === undefined || model === undefined) throw new Error('a field is not that of a key and model')
  insistOnStorable(key)
  insistOnStorable(model)
  if (packed.length % 8 !== 0 || packed.length < 8 * counters.length) throw new Error('a value does not hold counters')
  const row = emptyRow(key, model)
  for (const [index, counter] of counters.entries()) {
    const count = packed.readDoubleLE(8 * index)
    if (!Number.isSafeInteger(count)) throw new Error('a counter is not an integer')
    row[counter] = count
  }
  return row
}

function insistOnStorable(text: string): void {
  if (text.includes('\0') || Buffer.byteLength(text) > maxNameBytes) throw new Error('a key or model cannot be stored')
}

function parseInteger(text: string): number {
  const number = Number(text)
  if (!integer.test(text) || !Number.isSafeInteger(number)) throw new Error('a value is not an integer')
  return number
}

const emptyRow = (key: string, model: string): UsageRow => ({
  key,
  model,
  requests: 0,
  errors: 0,
  promptTokens: 0,
  cachedTokens: 0,
  completionTokens: 0,
  costNanos: 0,
  estimatedRequests: 0,
  estimatedNanos: 0
})
