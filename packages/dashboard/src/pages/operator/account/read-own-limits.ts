import type { AdminLimits, OwnLimits } from '@tollgate/contracts/http/admin/accounts.ts'
import type { Reading } from '../../../forms/form.tsx'
import { onlyProblems, textOf } from '../../../forms/read-fields.ts'
import { readEndDay, readLimit } from '../../../forms/read-optional.ts'
import { limitFields } from './describe-limits.ts'

/** When the limits that operators set now end; null without such limits, and for limits without an end. */
export const endOfOwnLimits = (limits: AdminLimits): string | null =>
  Object.values(limits).find(({ operator_value: value }) => value !== null)?.ends_at ?? null

/** Reads the limits of a form. All fields empty: null, which removes the limits that operators set. */
export function readOwnLimits(data: FormData, now: Date, present: AdminLimits): Reading<OwnLimits | null> {
  const read = limitFields.map(({ name, min, max, isMoney = false }) => ({
    name,
    ...readLimit(textOf(data, name), { min, max, isWhole: !isMoney, isMoney, emptyMeans: 'the plan’s value' })
  }))
  const end = readEndDay(textOf(data, 'ends_at'), now, endOfOwnLimits(present))
  const problems = onlyProblems({
    ...Object.fromEntries(read.map(({ name, problem }) => [name, problem])),
    ends_at: end.problem
  })
  if (Object.keys(problems).length > 0) return { ok: false, problems }
  const set = read.filter(({ value }) => value !== null)
  return {
    ok: true,
    values:
      set.length === 0
        ? null
        : { ...Object.fromEntries(set.map(({ name, value }) => [name, value])), ends_at: end.value }
  }
}
