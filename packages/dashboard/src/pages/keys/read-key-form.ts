import { isAddressRange, maxAddresses } from '@tollgate/contracts/keys/ip-addresses.ts'
import { maxBudgets } from '@tollgate/contracts/records/budget-windows.ts'
import type { Answer, Input } from '../../api/call.ts'
import { isMonthly } from '../../budgets/describe-budget.ts'
import { readBudgetRows } from '../../budgets/read-budget-rows.ts'
import { isolate, visibleText } from '../../format/visible-text.ts'
import type { Reading } from '../../forms/form.tsx'
import { onlyProblems, textOf } from '../../forms/read-fields.ts'
import { type OptionalReading, readEndDay, readLimit, readThresholds } from '../../forms/read-number.ts'

export type Key = Answer<'listKeys'>['keys'][number]
type Body = Input<'createKey'>['body']
type Budgets = NonNullable<Body['budgets']>

/** What the form says. The API has all budgets in one list, or only the monthly one. */
export interface KeySettings extends Required<Omit<Body, 'scope' | 'account_id' | 'paused' | 'budgets'>> {
  /** Besides `monthly_budget_usd`. */
  readonly more_budgets: Budgets
}

const metadataName = /^[A-Za-z0-9_.-]{1,40}$/
const maxPairs = 16
/** The thresholds of a key that has none of its own. */
const ofAccount = { value: null, problem: null }

/**
 * Validates the form of a new or an existing key. An empty field means no limit.
 *
 * @param present the existing key; it keeps its exact expiry while the day is unchanged
 */
export function readKeyForm(data: FormData, now: Date, present: Key | null): Reading<KeySettings> {
  const label = textOf(data, 'label').trim()
  const expiry = readEndDay(textOf(data, 'expires_at'), now, present?.expires_at ?? null)
  const budget = readLimit(textOf(data, 'monthly_budget_usd'), { min: 0, max: 1e6, isMoney: true })
  const more = readBudgetRows(data)
  const rate = readLimit(textOf(data, 'requests_per_minute'), { min: 1, max: 1e6, isWhole: true })
  const tokens = readLimit(textOf(data, 'tokens_per_minute'), { min: 1, max: 1e9, isWhole: true })
  const concurrent = readLimit(textOf(data, 'concurrent_requests'), { min: 1, max: 1e6, isWhole: true })
  const warnings = textOf(data, 'warnings') === 'own' ? readThresholds(textOf(data, 'thresholds')) : ofAccount
  const isRestricted = textOf(data, 'model_choice') === 'some'
  const models = data.getAll('models').map(String)
  const cheaper = textOf(data, 'on_exhausted')
  const addresses = readAddresses(textOf(data, 'addresses'))
  const metadata = readMetadata(data)
  const problems = {
    ...more.problems,
    ...onlyProblems({
      label: visibleText(label) === '' ? 'Enter a label that says what the key is for.' : null,
      expires_at: expiry.problem,
      monthly_budget_usd: budget.problem,
      budgets:
        more.budgets.length + (budget.value === null ? 0 : 1) > maxBudgets
          ? `A key can have ${maxBudgets} budgets, the monthly one included. Remove one.`
          : null,
      requests_per_minute: rate.problem,
      tokens_per_minute: tokens.problem,
      concurrent_requests: concurrent.problem,
      on_exhausted:
        isRestricted && cheaper !== '' && !models.includes(cheaper)
          ? 'The key may not use this model. Select it below, or choose another one.'
          : null,
      thresholds: warnings.problem,
      models: isRestricted && models.length === 0 ? 'Choose at least one model, or allow all models.' : null,
      addresses: addresses.problem,
      metadata: metadata.problem
    })
  }
  if (Object.keys(problems).length > 0) return { ok: false, problems }
  return {
    ok: true,
    values: {
      label,
      expires_at: expiry.value,
      monthly_budget_usd: budget.value,
      more_budgets: more.budgets.map(({ member_id: _, ...terms }) => terms),
      requests_per_minute: rate.value,
      tokens_per_minute: tokens.value,
      concurrent_requests: concurrent.value,
      on_exhausted: cheaper === '' ? null : { model: cheaper },
      thresholds: warnings.value,
      models: isRestricted ? models : null,
      addresses: addresses.value,
      metadata: metadata.value
    }
  }
}

/** Reads a list with one entry a line. */
function readAddresses(text: string): OptionalReading<string[] | null> {
  const lines = text.split('\n').map((line) => line.trim())
  const entries = [...new Set(lines.filter((line) => line !== ''))]
  const wrong = entries.find((entry) => !isAddressRange(entry))
  if (wrong !== undefined)
    return { value: null, problem: `${isolate(wrong)} is not an IP address or a range such as 203.0.113.0/24.` }
  if (entries.length > maxAddresses)
    return { value: null, problem: `Enter at most ${maxAddresses} addresses and ranges.` }
  return { value: entries.length === 0 ? null : entries, problem: null }
}

function readMetadata(data: FormData): OptionalReading<Record<string, string>> {
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

/** The budgets of a key besides the monthly one, which has a field of its own. */
export const moreBudgetsOf = ({ budgets }: Pick<Key, 'budgets'>): Key['budgets'] =>
  budgets.filter((budget) => !isMonthly(budget))

/** All budgets in one list, as the API has them. */
export function allBudgets({
  monthly_budget_usd: usd,
  more_budgets: more
}: Pick<KeySettings, 'monthly_budget_usd' | 'more_budgets'>): Budgets {
  return usd === null ? more : [{ window: 'month', limit_usd: usd, models: null }, ...more]
}

/** The settings of a new key. */
export function newSettings({ more_budgets, ...others }: KeySettings): Body {
  const { monthly_budget_usd: usd, ...rest } = others
  return more_budgets.length === 0
    ? others
    : { ...rest, budgets: allBudgets({ monthly_budget_usd: usd, more_budgets }) }
}

/**
 * The fields that the form changed. Unchanged fields are not sent, because the API would refuse some of them: an expiry
 * in the past, or a model that the plan has lost.
 */
export function changedSettings(present: Key, typed: KeySettings): Input<'changeKey'>['body'] {
  const isSame: Record<keyof KeySettings, boolean> = {
    // The form trims labels, so spaces at the ends are not a change.
    label: typed.label === present.label.trim(),
    expires_at: typed.expires_at === present.expires_at,
    monthly_budget_usd: typed.monthly_budget_usd === present.monthly_budget_usd,
    more_budgets: inOrder(typed.more_budgets.map(inOneForm)) === inOrder(moreBudgetsOf(present).map(inOneForm)),
    requests_per_minute: typed.requests_per_minute === present.requests_per_minute,
    tokens_per_minute: typed.tokens_per_minute === present.tokens_per_minute,
    concurrent_requests: typed.concurrent_requests === present.concurrent_requests,
    on_exhausted: typed.on_exhausted?.model === present.on_exhausted?.model,
    thresholds: inOrder(typed.thresholds) === inOrder(present.thresholds),
    models: inOrder(typed.models) === inOrder(present.models),
    addresses: inOrder(typed.addresses) === inOrder(present.addresses),
    metadata: inOrder(Object.entries(typed.metadata)) === inOrder(Object.entries(present.metadata))
  }
  const { more_budgets: hasSameBudgets, ...others } = isSame
  const names = Object.entries(others).flatMap(([name, same]) => (same ? [] : [name as keyof typeof others]))
  const body: Input<'changeKey'>['body'] = Object.fromEntries(names.map((name) => [name, typed[name]]))
  if (hasSameBudgets) return body
  // The list has the monthly budget too, and the API takes it only once.
  const { monthly_budget_usd: _, ...rest } = body
  return { ...rest, budgets: allBudgets(typed) }
}

/** The order of models says nothing. */
const inOneForm = ({ window, limit_usd: usd, models = null }: Budgets[number]) => [
  window,
  usd,
  models?.toSorted() ?? null
]

/** A list as text that does not depend on its order. */
const inOrder = (list: readonly unknown[] | null): string =>
  JSON.stringify(list?.map((item) => JSON.stringify(item)).sort() ?? null)
