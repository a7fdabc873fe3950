import { createUnpacker } from '../wire/packed.ts'

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

/** A row of usage as it was at one instant: see layout/usage.lua. */
export type Usage = UsageRow & {
  /** As it stands in the lists of its shard. */
  name: string
  account: string
  /** Hour of admission, whole hours since the epoch. */
  hour: number
  /**
   * Which row of the account, hour, key and model: tag of the run, the hour in which it began if that was late, and when it
   * began. Copies of the same one replace each other; what several of them hold adds up.
   */
  run: string
  /** Raised by every change, as far as `born` is the same. */
  revision: number
  /** When it began, µs since the epoch. */
  born: number
}

/** Where a row is, by its name. */
export type UsagePlace = { account: string; field: string }

const nameForm = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}):([1-9][0-9]{0,6}):([\w~-]+)\|([^|]+)\|(.+)$/s

/** In the order in which a row has them, as doubles. */
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

/** With the revision, when it began, and whether it is in the list of what is to be copied. */
const numbersOfRow = counters.length + 3

/** Longer ones cannot be part of an index of Postgres. */
const maxNameBytes = 500

/** @returns null for a name that is not one of usage */
export function placeOf(name: string): UsagePlace | null {
  const [, account] = nameForm.exec(name) ?? []
  return account === undefined ? null : { account, field: `u${name.slice(account.length)}` }
}

/** @throws Error saying what is wrong with it */
export function parseUsage(name: string, packed: Buffer): Usage {
  const [, account, hour, tag, key, model] = nameForm.exec(name) ?? []
  if (account === undefined) throw new Error('its name is not that of usage')
  insistOnStorable(key!)
  insistOnStorable(model!)
  if (packed.length !== 8 * numbersOfRow) throw new Error('a value does not hold counters')
  const { number } = createUnpacker(packed)
  const row = emptyRow(key!, model!)
  for (const counter of counters) row[counter] = insistOnInteger(number())
  const [revision, born] = [insistOnInteger(number()), insistOnInteger(number())]
  return { name, account, hour: Number(hour), run: `${tag}.${born}`, revision, born, ...row }
}

function insistOnStorable(text: string): void {
  if (text.includes('\0') || Buffer.byteLength(text) > maxNameBytes) throw new Error('a key or model cannot be stored')
}

function insistOnInteger(number: number): number {
  if (!Number.isSafeInteger(number)) throw new Error('a counter is not an integer')
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
