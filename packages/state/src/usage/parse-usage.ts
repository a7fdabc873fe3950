import { forEachCounter, type UsageCounts } from '@tollgate/contracts/usage/usage-counters.ts'
import { layouts } from '../layout/layouts.ts'
import { unpackParts } from '../wire/packed.ts'

/** Sums of the requests of one key to one model. A correction can bring an amount below zero. */
export interface UsageRow extends UsageCounts {
  key: string
  model: string
}

/** A row of usage at one time: see layout/usage.lua. */
export interface Usage extends UsageRow {
  /** Its name in the lists of its shard. */
  name: string
  account: string
  /** Hour of admission, whole hours since the epoch. */
  hour: number
  /**
   * Tells rows of one account, hour, key and model apart: tag of the run, upstream, the hour in which a late row began, and the
   * time when it began. Copies of the same row replace each other; different rows add up.
   */
  run: string
  /** The upstream that served the requests; '' if it is not known, or if no upstream was called. */
  upstream: string
  /** Every change of a row raises it. */
  revision: number
  /** When it began, µs since the epoch. */
  born: number
}

/** Where Redis keeps a row. */
export interface UsagePlace {
  account: string
  field: string
}

const nameForm =
  /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}):([1-9][0-9]{0,6}):(\w+(?:-([\w-]+))?(?:~\d+)?)\|([^|]+)\|(.+)$/s

const bytesOfRow = 8 * Object.keys(layouts.wholeRow).length
/** A row that an older version wrote ends with `isListed`, or with a later counter. A row without rare counts lacks them. */
const minBytesOfRow = 8 * (Object.keys(layouts.row).indexOf('isListed') + 1)

/** Postgres cannot index longer names. */
const maxNameBytes = 500

/** @returns null if the name is not a usage row's */
export function placeOf(name: string): UsagePlace | null {
  const [, account] = nameForm.exec(name) ?? []
  return account === undefined ? null : { account, field: `u${name.slice(account.length)}` }
}

/** @throws Error with the reason if the row is malformed */
export function parseUsage(name: string, packed: Buffer): Usage {
  const [, account, hour, run, upstream = '', key, model] = nameForm.exec(name) ?? []
  if (account === undefined) throw new Error('the name is not the name of a usage row')
  assertStorable(key!)
  assertStorable(model!)
  const { length } = packed
  if (length < minBytesOfRow || length > bytesOfRow || length % 8 !== 0)
    throw new Error('the value is not a list of counters')
  const row = unpackParts(layouts.wholeRow, Buffer.concat([packed], bytesOfRow))
  const counts = forEachCounter((counter) => assertInteger(row[counter]))
  const [revision, born] = [assertInteger(row.revision), assertInteger(row.born)]
  return {
    name,
    account,
    hour: Number(hour),
    run: `${run}.${born}`,
    upstream,
    revision,
    born,
    key: key!,
    model: model!,
    ...counts
  }
}

function assertStorable(text: string): void {
  if (text.includes('\0') || Buffer.byteLength(text) > maxNameBytes) throw new Error('a key or model cannot be stored')
}

function assertInteger(number: number): number {
  if (!Number.isSafeInteger(number)) throw new Error('a counter is not an integer')
  return number
}
