/** The parts of a check, in the order of the report. */
export const parts = [
  'settings',
  'files',
  'PostgreSQL',
  'Redis',
  'Supabase',
  'Stripe',
  'mail',
  'upstreams',
  'addresses',
  'traces',
  'receipts',
  'clocks'
] as const
export type Part = (typeof parts)[number]

/** Something that is right, or that could not be checked. */
export interface Note {
  readonly part: Part
  readonly severity: 'ok' | 'skipped'
  readonly what: string
}

/** Something that is wrong. Sentences for people; `code` is for programs and stays the same. */
export interface Finding {
  readonly part: Part
  /** `error`: customers notice it, or a service does not start. `warning`: it may cause damage later. */
  readonly severity: 'error' | 'warning'
  readonly code: string
  readonly what: string
  readonly why: string
  /** What to type or click. */
  readonly fix: string
}

export type Result = Note | Finding

/** The sentences of a finding. */
export type Explanation = Pick<Finding, 'what' | 'why' | 'fix'>

export const isFinding = (result: Result): result is Finding => 'code' in result

/** Makes results of one part. */
export function resultsOf(part: Part) {
  return {
    ok: (what: string): Note => ({ part, severity: 'ok', what }),
    skipped: (what: string): Note => ({ part, severity: 'skipped', what }),
    error: (code: string, explanation: Explanation): Finding => ({ part, severity: 'error', code, ...explanation }),
    warning: (code: string, explanation: Explanation): Finding => ({ part, severity: 'warning', code, ...explanation })
  }
}
