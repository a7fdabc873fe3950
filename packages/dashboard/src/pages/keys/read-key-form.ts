import type { Answer, Input } from '../../api/call.ts'
import { visibleText } from '../../format/visible-text.ts'
import type { Reading } from '../../forms/form.tsx'
import { numberOf, onlyProblems, textOf } from '../../forms/read-fields.ts'

export type Key = Answer<'listKeys'>['keys'][number]
export type KeySettings = Required<Omit<Input<'createKey'>['body'], 'scope'>>

const metadataName = /^[A-Za-z0-9_.-]{1,40}$/
const maxPairs = 16

/** The end of a day in the reader's time zone. */
const endOfDay = (day: string): Date => new Date(`${day}T23:59:59`)

/** The day of an instant in the reader's time zone, as the value of a date field. */
export function dayOf(instant: string): string {
  const at = new Date(instant)
  const two = (part: number) => String(part).padStart(2, '0')
  return `${String(at.getFullYear()).padStart(4, '0')}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
}

/**
 * Validates the form of a new or an existing key. An empty field means no limit.
 *
 * @param present the existing key; it keeps its exact expiry while the day is unchanged
 */
export function readKeyForm(data: FormData, now: Date, present: Key | null): Reading<KeySettings> {
  const label = textOf(data, 'label').trim()
  const expiry = readExpiry(textOf(data, 'expires_at'), now, present)
  const budget = readNumber(textOf(data, 'monthly_budget_usd'), 0, 1e6, false)
  const rate = readNumber(textOf(data, 'requests_per_minute'), 1, 1e6, true)
  const isRestricted = textOf(data, 'model_choice') === 'some'
  const models = data.getAll('models').map(String)
  const metadata = readMetadata(data)
  const problems = onlyProblems({
    label: visibleText(label) === '' ? 'Enter a label that says what the key is for.' : null,
    expires_at: expiry.problem,
    monthly_budget_usd: budget.problem,
    requests_per_minute: rate.problem,
    models: isRestricted && models.length === 0 ? 'Choose at least one model, or allow all models.' : null,
    metadata: metadata.problem
  })
  if (Object.keys(problems).length > 0) return { ok: false, problems }
  return {
    ok: true,
    values: {
      label,
      expires_at: expiry.value,
      monthly_budget_usd: budget.value,
      requests_per_minute: rate.value,
      models: isRestricted ? models : null,
      metadata: metadata.value
    }
  }
}

interface Part<Value> {
  readonly value: Value
  readonly problem: string | null
}

function readExpiry(day: string, now: Date, present: Key | null): Part<string | null> {
  if (day === '') return { value: null, problem: null }
  if (present?.expires_at != null && dayOf(present.expires_at) === day)
    return { value: present.expires_at, problem: null }
  const at = endOfDay(day)
  if (Number.isNaN(at.getTime())) return { value: null, problem: 'Enter a date.' }
  if (at <= now) return { value: null, problem: 'Choose today or a later day.' }
  return { value: at.toISOString(), problem: null }
}

function readNumber(text: string, min: number, max: number, isWhole: boolean): Part<number | null> {
  const trimmed = text.trim()
  if (trimmed === '') return { value: null, problem: null }
  const value = numberOf(trimmed)
  const isRight = Number.isFinite(value) && value >= min && value <= max && (!isWhole || Number.isInteger(value))
  const kind = isWhole ? 'a whole number' : 'a number'
  return isRight
    ? { value, problem: null }
    : {
        value: null,
        problem: `Enter ${kind} from ${min} to ${max.toLocaleString('en-US')}, or leave the field empty for no limit.`
      }
}

function readMetadata(data: FormData): Part<Record<string, string>> {
  const names = data.getAll('metadata_name').map((name) => String(name).trim())
  const values = data.getAll('metadata').map(String)
  const pairs = names
    .map((name, at) => [name, values[at] ?? ''] as const)
    .filter(([name, value]) => name + value !== '')
  const problem = problemOfPairs(pairs)
  return { value: problem === null ? Object.fromEntries(pairs) : {}, problem }
}

function problemOfPairs(pairs: ReadonlyArray<readonly [name: string, value: string]>): string | null {
  if (pairs.some(([name]) => !metadataName.test(name)))
    return 'Use 1 to 40 letters, digits, dots, dashes and underscores for a name.'
  if (new Set(pairs.map(([name]) => name)).size < pairs.length) return 'Use each name only once.'
  return pairs.length > maxPairs ? `Use at most ${maxPairs} pairs.` : null
}
