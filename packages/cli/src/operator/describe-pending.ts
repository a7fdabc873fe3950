import type { PendingAct } from '@tollgate/contracts/http/admin/pending-acts.ts'

/** Says that an act is not done yet. */
export const describePending = ({ id, ends_at: endsAt }: Pick<PendingAct, 'id' | 'ends_at'>): string =>
  [
    'Waits for a second operator. Nothing was changed yet.',
    `Another operator confirms it on the accounts page of the console until ${endsAt} (pending act ${id}).`
  ].join('\n')
