import type { LedgerRow } from './ledger.ts'

/**
 * `<tag of the run>[-<upstream>][~<hour in which the row began>].<when it began, µs>`: see `Usage` in state/usage/parse-usage.ts.
 */
const runForm = /^([^~.-]+)(-[^~.]+)?(?:~(\d+))?\.(\d+)$/

interface Stored {
  account: string
  hour: number | string
  run: string
  key: string
  model: string
  revision: number | string
}

/** @returns the row of Redis that a ledger row was copied from; [] if its run has another form, as a folded day has */
export function ledgerRow({ account, hour, run, key, model, revision }: Stored): LedgerRow[] {
  const [, tag, upstream = '', lateHour, born] = runForm.exec(run) ?? []
  if (tag === undefined) return []
  const late = lateHour === undefined ? '' : `~${lateHour}`
  return [
    {
      name: `${account}:${hour}:${tag}${upstream}${late}|${key}|${model}`,
      account,
      tag,
      hour: Number(hour),
      lateHour: lateHour === undefined ? null : Number(lateHour),
      born: Number(born),
      revision: Number(revision)
    }
  ]
}
